import { leaderApi } from '@lcs/contract';
import { jobsReadByDosing, stirringJob } from '@lcs/domain';
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
import { neededOf } from './start-needs.ts';
import { useFactsOf } from './stop-question.tsx';

/** It does not dose by itself. */
const manualOnly = 'silent';

interface MissingReadingsProps {
  /** Of the dosing; null: none is chosen. */
  readonly automation: string | null;
  readonly values: StartValues;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
}

/** Says that stirring or the readings of an automation are off on some units, and starts them: without readings it waits and does nothing. */
export function MissingReadings({ automation, values, units, nameOf }: MissingReadingsProps) {
  const { leader } = useServices();
  const { data: assignments = [] } = useAssignments();
  const factsOf = useFactsOf();
  const may = useMay();
  const { command, sendEach, dismiss } = useUnitCommand(units, nameOf);
  const [reading] = jobsReadByDosing(automation, values);
  if (automation === null || automation === manualOnly) return null;
  const wanted = [stirringJob.name, ...(reading === undefined ? [] : [reading])];
  const missing = units.flatMap((unit) => {
    const experiment = assignments.find(({ reactor_unit }) => reactor_unit === unit)?.experiment ?? null;
    if (experiment === null) return [];
    const off = neededOf(wanted, factsOf(unit, experiment)).map(({ name }) => name);
    return off.length === 0 ? [] : [{ unit, experiment, off }];
  });
  if (missing.length === 0) return null;
  const without = (job: string): string =>
    missing.flatMap(({ unit, off }) => (off.includes(job) ? [nameOf(unit)] : [])).join(', ');
  const texts = [
    ...(without(stirringJob.name) === ''
      ? []
      : [jobsWords.mixingIsOff(plainWords(stirringJob.name), without(stirringJob.name))]),
    ...(reading === undefined || without(reading) === ''
      ? []
      : [jobsWords.isOffOn(plainWords(reading), without(reading))]),
  ];
  const jobs = [...new Set(missing.flatMap(({ off }) => off))];
  const label = commonWords.startNamed(jobs.map(plainWords).join(', '));
  const start = (): void =>
    void sendEach(
      label,
      missing.flatMap(({ unit, experiment, off }) =>
        off.map((each) => ({
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
        <div>
          {texts.map((text) => (
            <Text key={text} size="sm">
              {text}
            </Text>
          ))}
        </div>
        <Button
          size="xs"
          variant="default"
          loading={command.phase === 'pending'}
          onClick={start}
          {...may(leaderApi.runWorkerJob)}
        >
          {label}
        </Button>
      </Group>
      {command.phase === 'failed' && <CommandStatus command={command} onDismiss={dismiss} />}
    </Alert>
  );
}
