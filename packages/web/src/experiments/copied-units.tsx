import { Alert, Checkbox, Stack, Text } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useAssignments } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useUnitNames } from '../services/use-unit-names.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { experimentsWords } from '../words/experiments.ts';
import { type CopiedUnit, unitsOfCopy } from './units-of-copy.ts';

/** The units that an experiment has or had, and where they are now; undefined: not known yet, or there is no source. */
export function useUnitsOfCopy(source: string | undefined): readonly CopiedUnit[] | undefined {
  const { leader } = useServices();
  const { data: assignments } = useAssignments();
  const { data: history } = useQuery({
    queryKey: queryKeys.history(source ?? ''),
    queryFn:
      source === undefined
        ? skipToken
        : ({ signal }) => leader.listHistoricalAssignments({ params: { experiment: source }, signal }),
  });
  return source === undefined ? undefined : assignments && history && unitsOfCopy(source, history, assignments);
}

interface CopiedUnitsProps {
  readonly units: readonly CopiedUnit[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** Which units of the source a copy takes; names those that leave an experiment. */
export function CopiedUnits({ units, chosen, onChoose }: CopiedUnitsProps) {
  const nameOf = useUnitNames(units.length > 0);
  if (units.length === 0) return null;
  const leaving = units.filter(({ unit, from }) => chosen.has(unit) && from !== null);
  return (
    <Stack gap="xs">
      <Checkbox.Group label={commonWords.units} value={[...chosen]} onChange={(next) => onChoose(new Set(next))}>
        <Stack gap={6} mt={6}>
          {units.map(({ unit, from }) => (
            <Checkbox
              key={unit}
              value={unit}
              label={from === null ? nameOf(unit) : experimentsWords.unitInExperiment(nameOf(unit), from)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {leaving.length > 0 && (
        <Alert color="orange" variant="light" icon={<WarningIcon />}>
          <Text size="sm">
            {experimentsWords.jobsThereAreStopped(
              leaving.map(({ unit, from }) => experimentsWords.unitLeaves(nameOf(unit), from)).join(', '),
            )}
          </Text>
        </Alert>
      )}
    </Stack>
  );
}
