import { type BiomassSignals, type FinishedTask, waitForTask } from '@lcs/contract';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../app/services.tsx';
import { type BiomassChoice, biomassChoices } from './biomass-choices.ts';
import { sleepOn } from './use-job-control.ts';

/** While a person decides, the values must be those of now. */
const pauseMs = 5_000;
const taskTimeoutMs = 10_000;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSignals = (value: unknown): value is BiomassSignals =>
  isRecord(value) && Array.isArray(value.signals) && value.signals.every((each) => isRecord(each) && 'scale' in each);

class NoSignals extends Error {}

function readSignals(task: FinishedTask, unit: string): BiomassSignals {
  if (task.status === 'failed') throw new NoSignals(task.error);
  const outcome = isRecord(task.result) ? task.result[unit] : undefined;
  if (!isRecord(outcome) || outcome.ok !== true || !isSignals(outcome.value))
    throw new NoSignals(`${unit} did not say what it measures.`);
  return outcome.value;
}

/** The scales that a target may have on some units, with their newest values; asked only while `isWanted`. */
export function useBiomassChoices(
  units: readonly string[],
  nameOf: (unit: string) => string,
  isWanted: boolean,
): readonly BiomassChoice[] {
  const { leader, clock } = useServices();
  const answers = useQueries({
    queries: units.map((unit) => ({
      queryKey: queryKeys.biomassSignals(unit),
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const accepted = await leader.getWorkerBiomassSignals({ params: { reactor_unit: unit }, signal });
        const limit = AbortSignal.any([signal, AbortSignal.timeout(taskTimeoutMs)]);
        return readSignals(await waitForTask('', accepted, { sleep: sleepOn(clock), signal: limit }), unit);
      },
      enabled: isWanted,
      staleTime: 0,
      gcTime: 0,
      refetchInterval: pauseMs,
    })),
    combine: (results) => results.map(({ data }) => data),
  });
  return useMemo(
    () => biomassChoices(units.map((unit, index) => ({ unit: nameOf(unit), signals: answers[index] }))),
    [units, nameOf, answers],
  );
}
