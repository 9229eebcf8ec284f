import { leaderApi, type PreflightReport } from '@lcs/contract';
import { Button, Checkbox, Skeleton, Stack, Text } from '@mantine/core';
import { useJobs } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { plainWords } from '../ui/plain-words.ts';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import styles from './editor.module.css';
import { type FindingGroup, findingGroups, type StepAt } from './finding-groups.ts';

function Findings({ title, groups }: { readonly title: string; readonly groups: readonly FindingGroup[] }) {
  if (groups.length === 0) return null;
  return (
    <section aria-label={title}>
      <Text component="h3" size="sm" fw={600} m={0} mb={6}>
        {title}
      </Text>
      <ul className={styles.findings}>
        {groups.map(({ severity, units, text }) => (
          <li key={`${units.join(' ')} ${text}`} data-severity={severity === 'blocks' ? 'error' : 'warning'}>
            <WarningIcon size={14} />
            <span>
              {units.length > 0 && <strong>{units.join(', ')}: </strong>}
              {text}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the check before a start has found: first what blocks the start. */
export function PreflightFindings({ report, stepAt }: { readonly report: PreflightReport; readonly stepAt: StepAt }) {
  if (report.findings.length === 0)
    return (
      <Text size="sm">
        <CheckIcon size={14} /> {protocolsWords.allChecksPassed(report.checks.length)}
      </Text>
    );
  const groups = findingGroups(report.findings, stepAt);
  return (
    <Stack gap="sm">
      <Findings title={protocolsWords.blocksStart} groups={groups.filter(({ severity }) => severity === 'blocks')} />
      <Findings title={commonWords.warnings} groups={groups.filter(({ severity }) => severity === 'warns')} />
    </Stack>
  );
}

interface PreflightProps {
  readonly report: PreflightReport | undefined;
  readonly stepAt: StepAt;
  readonly isIgnored: boolean;
  readonly onIgnore: (isIgnored: boolean) => void;
  /** Jobs that stood in the way were stopped: the check is out of date. */
  readonly onStopped: () => void;
}

export const isBlocking = (report: PreflightReport | undefined): boolean =>
  report?.findings.some(({ severity }) => severity === 'blocks') ?? false;

interface StopFirstProps {
  readonly report: PreflightReport;
  readonly onStopped: () => void;
}

const nameOf = (unit: string): string => unit;

/** Stops the running jobs that prevent starts of the profile. */
function StopFirst({ report, onStopped }: StopFirstProps) {
  const { leader } = useServices();
  const may = useMay();
  const jobs = useJobs() ?? [];
  const stops = report.findings.flatMap(({ reactor_unit: unit, job_name }) => {
    const running = jobs.find((job) => job.reactor_unit === unit && job.job_name === job_name);
    return unit === null || running === undefined
      ? []
      : [{ unit, job: running.job_name, experiment: running.experiment }];
  });
  const { command, sendEach, dismiss } = useUnitCommand([...new Set(stops.map(({ unit }) => unit))], nameOf);
  if (stops.length === 0 && command.phase !== 'failed') return null;
  const names = [...new Set(stops.map(({ job }) => plainWords(job)))].join(', ');
  const stop = (): void =>
    void sendEach(
      commonWords.stop,
      stops.map(({ unit, job: job_name, experiment }) => ({
        unit,
        request: () => leader.stopWorkerJob({ params: { reactor_unit: unit, job_name, experiment } }),
      })),
      onStopped,
    );
  return (
    <>
      {stops.length > 0 && (
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          loading={command.phase === 'pending'}
          onClick={stop}
          {...may(leaderApi.stopWorkerJob)}
        >
          {protocolsWords.stopFirst(names)}
        </Button>
      )}
      {command.phase === 'failed' && <CommandStatus command={command} onDismiss={dismiss} />}
    </>
  );
}

/** The check before a start; findings that block it must be accepted. */
export function Preflight({ report, stepAt, isIgnored, onIgnore, onStopped }: PreflightProps) {
  if (report === undefined)
    return <Skeleton height={40} role="status" aria-label={protocolsWords.checkingWhatRunNeeds} />;
  return (
    <Stack gap="xs">
      <StopFirst report={report} onStopped={onStopped} />
      <PreflightFindings report={report} stepAt={stepAt} />
      {isBlocking(report) && (
        <Checkbox
          label={protocolsWords.startAlthoughFindingsBlockIt}
          checked={isIgnored}
          onChange={(event) => onIgnore(event.currentTarget.checked)}
        />
      )}
    </Stack>
  );
}
