import { leaderApi, type PreflightReport } from '@lcs/contract';
import { Button, Checkbox, List, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { plainWords } from '../api/plain-words.ts';
import { type DependentOnUnits, dependentsOnUnits } from '../jobs/dependents.ts';
import { useDependents } from '../jobs/stop-question.tsx';
import { useJobs } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import { protocolsWords } from '../words/protocols.ts';
import styles from './editor.module.css';
import { type FindingGroup, findingGroups, type StepAt } from './finding-groups.ts';

function Findings({ title, groups }: { readonly title: string; readonly groups: readonly FindingGroup[] }) {
  const nameOf = useUnitNames();
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
              {units.length > 0 && <strong>{units.map(nameOf).join(', ')}: </strong>}
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

/** A running job that prevents starts of the profile. */
interface Blocker {
  readonly unit: string;
  readonly job: string;
  readonly experiment: string;
}

interface StopFirstDialogProps {
  readonly blockers: readonly Blocker[];
  /** The running jobs that need them. */
  readonly dependents: readonly DependentOnUnits[];
  readonly onClose: () => void;
  readonly onStop: (withDependents: boolean) => void;
}

const namesOf = (blockers: readonly Blocker[]): string =>
  [...new Set(blockers.map(({ job }) => plainWords(job)))].join(', ');

/** Says what stops, and what needs it. */
function StopFirstDialog({ blockers, dependents, onClose, onStop }: StopFirstDialogProps) {
  const nameOf = useUnitNames();
  const groups = Map.groupBy(blockers, ({ job, experiment }) => `${job}\n${experiment}`);
  return (
    <Dialog title={protocolsWords.stopThese(namesOf(blockers))} isOpen size="lg" onClose={onClose}>
      <Stack gap="md">
        <div>
          <Text size="sm">{protocolsWords.stopFirstConsequence}</Text>
          <List size="sm" mt={4}>
            {[...groups].map(([key, same]) => (
              <List.Item key={key}>
                {protocolsWords.jobOnUnitsOf(
                  plainWords(same[0]?.job ?? ''),
                  same.map(({ unit }) => nameOf(unit)).join(', '),
                  same[0]?.experiment ?? '',
                )}
              </List.Item>
            ))}
          </List>
        </div>
        {dependents.length > 0 && (
          <div>
            <Text size="sm">{protocolsWords.otherJobsNeedThem}</Text>
            <List size="sm" mt={4}>
              {dependents.map(({ name, title, effect, units }) => (
                <List.Item key={name}>
                  {protocolsWords.effectOnUnits(units.map(nameOf).join(', '), jobsWords.effectWithoutIt(title, effect))}
                </List.Item>
              ))}
            </List>
          </div>
        )}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <Button
            {...(dependents.length > 0 ? { variant: 'default' as const } : { color: 'red.9' })}
            onClick={() => onStop(false)}
          >
            {dependents.length > 0 ? protocolsWords.stopOnlyThese : commonWords.stop}
          </Button>
          {dependents.length > 0 && (
            <Button color="red.9" onClick={() => onStop(true)}>
              {jobsWords.stopAllOfThese}
            </Button>
          )}
        </DialogActions>
      </Stack>
    </Dialog>
  );
}

/** Stops the running jobs that prevent starts of the profile, after a question. */
function StopFirst({ report, onStopped }: StopFirstProps) {
  const { leader } = useServices();
  const may = useMay();
  const jobs = useJobs() ?? [];
  const [isAsking, setAsking] = useState(false);
  const nameOf = useUnitNames();
  const dependentsOn = useDependents();
  const blockers = report.findings.flatMap(({ reactor_unit: unit, job_name }): readonly Blocker[] => {
    const running = jobs.find((job) => job.reactor_unit === unit && job.job_name === job_name);
    return unit === null || running === undefined
      ? []
      : [{ unit, job: running.job_name, experiment: running.experiment }];
  });
  const { command, sendEach, dismiss } = useUnitCommand([...new Set(blockers.map(({ unit }) => unit))], nameOf);
  if (blockers.length === 0 && command.phase !== 'failed') return null;
  /** By unit, without what stops anyway. */
  const dependentsOf = (unit: string) => {
    const own = blockers.filter((each) => each.unit === unit);
    const all = own.flatMap(({ job, experiment }) =>
      dependentsOn(unit, experiment, job).map((dependent) => ({ ...dependent, experiment })),
    );
    const others = all.filter(({ name }) => own.every(({ job }) => job !== name));
    return [...new Map(others.map((each) => [each.name, each])).values()];
  };
  const units = [...new Set(blockers.map(({ unit }) => unit))];
  const dependents = isAsking ? dependentsOnUnits(units, dependentsOf) : [];
  const stop = (withDependents: boolean): void => {
    setAsking(false);
    // What needs a job stops before it.
    const others = withDependents
      ? units.flatMap((unit) => dependentsOf(unit).map(({ name, experiment }) => ({ unit, job: name, experiment })))
      : [];
    void sendEach(
      commonWords.stop,
      [...others, ...blockers].map(({ unit, job: job_name, experiment }) => ({
        unit,
        request: () => leader.stopWorkerJob({ params: { reactor_unit: unit, job_name, experiment } }),
      })),
      onStopped,
    );
  };
  return (
    <>
      {blockers.length > 0 && (
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          loading={command.phase === 'pending'}
          onClick={() => setAsking(true)}
          {...may(leaderApi.stopWorkerJob)}
        >
          {protocolsWords.stopFirstDialog(namesOf(blockers))}
        </Button>
      )}
      {command.phase === 'failed' && <CommandStatus command={command} onDismiss={dismiss} />}
      {isAsking && blockers.length > 0 && (
        <StopFirstDialog blockers={blockers} dependents={dependents} onClose={() => setAsking(false)} onStop={stop} />
      )}
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
