import { leaderApi } from '@lcs/contract';
import { jobsReadByDosing } from '@lcs/domain';
import { Alert, Button, Group, Text } from '@mantine/core';
import { plainWords } from '../api/plain-words.ts';
import { useAssignments } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import type { StartValues } from './job-forms.ts';
import { neededJobs } from './start-needs.ts';
import { useFactsOf } from './stop-question.tsx';

interface MissingReadingsProps {
  /** Of the dosing; null: none is chosen. */
  readonly automation: string | null;
  readonly values: StartValues;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
}

/** Says that the readings of an automation are off on some units, and starts them: without readings it waits and does nothing. */
export function MissingReadings({ automation, values, units, nameOf }: MissingReadingsProps) {
  const { leader } = useServices();
  const { data: assignments = [] } = useAssignments();
  const factsOf = useFactsOf();
  const may = useMay();
  const { command, sendEach, dismiss } = useUnitCommand(units, nameOf);
  const [job] = jobsReadByDosing(automation, values);
  if (job === undefined) return null;
  const missing = units.flatMap((unit) => {
    const experiment = assignments.find(({ reactor_unit }) => reactor_unit === unit)?.experiment ?? null;
    if (experiment === null) return [];
    const facts = factsOf(unit, experiment);
    const isOff = !facts.jobs.some((each) => each.job_name === job && each.state !== 'disconnected');
    return isOff ? [{ unit, experiment, jobs: [...neededJobs(job, facts).map(({ name }) => name), job] }] : [];
  });
  if (missing.length === 0) return null;
  const start = (): void =>
    void sendEach(
      commonWords.startNamed(plainWords(job)),
      missing.flatMap(({ unit, experiment, jobs }) =>
        jobs.map((each) => ({
          unit,
          request: () =>
            leader.runWorkerJob({
              params: { reactor_unit: unit, job: each, experiment },
              body: { env: { JOB_SOURCE: 'user' } },
            }),
        })),
      ),
    );
  return (
    <Alert color="orange" variant="light" icon={<WarningIcon />} role="status">
      <Group gap="sm">
        <Text size="sm">{jobsWords.isOffOn(plainWords(job), missing.map(({ unit }) => nameOf(unit)).join(', '))}</Text>
        <Button
          size="xs"
          variant="default"
          loading={command.phase === 'pending'}
          onClick={start}
          {...may(leaderApi.runWorkerJob)}
        >
          {commonWords.startNamed(plainWords(job))}
        </Button>
      </Group>
      {command.phase === 'failed' && <CommandStatus command={command} onDismiss={dismiss} />}
    </Alert>
  );
}
