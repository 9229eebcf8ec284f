import { BiomassSignals } from '@lcs/contract';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { followTask } from '../tasks/follow-task.ts';
import { answerOf } from '../tasks/unit-answers.ts';
import { type BiomassChoice, biomassChoices, type UnitSignals } from './biomass-choices.ts';

/** While a person decides, the values must be those of now. */
const pauseMs = 5_000;
const taskTimeoutMs = 10_000;

interface BiomassNow {
  readonly choices: readonly BiomassChoice[];
  readonly reported: readonly UnitSignals[];
}

/** The scales that a target may have on some units, with what the units report; requested only while `isEnabled`. */
export function useBiomassChoices(
  units: readonly string[],
  nameOf: (unit: string) => string,
  isEnabled: boolean,
): BiomassNow {
  const { leader, clock } = useServices();
  const answers = useQueries({
    queries: units.map((unit) => ({
      queryKey: queryKeys.biomassSignals(unit),
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const accepted = await leader.getWorkerBiomassSignals({ params: { reactor_unit: unit }, signal });
        return answerOf(await followTask(clock, accepted, taskTimeoutMs, signal), unit, BiomassSignals);
      },
      enabled: isEnabled,
      staleTime: 0,
      gcTime: 0,
      refetchInterval: pauseMs,
    })),
    combine: (results) => results.map(({ data }) => data),
  });
  return useMemo(() => {
    const reported = units.map((unit, index) => ({ unit: nameOf(unit), signals: answers[index] }));
    return { choices: biomassChoices(reported), reported };
  }, [units, nameOf, answers]);
}
