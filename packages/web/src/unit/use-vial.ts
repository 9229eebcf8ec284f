import { type Actuation, BiomassSignals, BioreactorReport, ownValue } from '@lcs/contract';
import { ledChannels } from '@lcs/domain';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryKeys, type Vial } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { followTask } from '../tasks/follow-task.ts';
import { answerOf } from '../tasks/unit-answers.ts';

const pollMs = 15_000;
const taskTimeoutMs = 10_000;

/** The vial of a unit in its experiment, as the unit keeps it; requested while the unit is online, and when a pump has run. */
export function useVial(unit: string, experiment: string | null, isOnline: boolean) {
  const { leader, clock, updates } = useServices();
  const cache = useQueryClient();
  useEffect(
    () =>
      updates.onReadings((readings) => {
        if (!readings.some(({ source, reactor_unit }) => source === 'liquid_volume' && reactor_unit === unit)) return;
        void cache.invalidateQueries({ queryKey: queryKeys.vial(unit, experiment ?? '') }, { cancelRefetch: false });
      }),
    [updates, cache, unit, experiment],
  );
  return useQuery({
    queryKey: queryKeys.vial(unit, experiment ?? ''),
    queryFn: async ({ signal }): Promise<Vial> => {
      const params = { reactor_unit: unit, experiment: experiment ?? '' };
      const [state, signals] = await Promise.all([
        leader.getWorkerBioreactor({ params, signal }),
        leader.getWorkerBiomassSignals({ params, signal }),
      ]);
      const [{ values }, { culture }] = await Promise.all([
        followTask(clock, state, taskTimeoutMs, signal).then((task) => answerOf(task, unit, BioreactorReport)),
        followTask(clock, signals, taskTimeoutMs, signal).then((task) => answerOf(task, unit, BiomassSignals)),
      ]);
      return { values, mediaLeftMl: culture?.media_bottle_left_ml ?? null };
    },
    enabled: experiment !== null && isOnline,
    staleTime: 0,
    refetchInterval: pollMs,
  });
}

/** The newest actuation of each LED; requested only while a job may light them. */
export function useLedActuations(unit: string, isLit: boolean): readonly (Actuation | undefined)[] {
  const { leader } = useServices();
  const { data } = useQuery({
    queryKey: queryKeys.ledActuations(unit),
    queryFn: ({ signal }) =>
      Promise.all(
        ledChannels.map(async (channel) => {
          const query = { output: `led_${channel}` as const, limit: 1 };
          return (await leader.listWorkerActuations({ params: { reactor_unit: unit }, query, signal }))[0];
        }),
      ),
    enabled: isLit,
    staleTime: 0,
    refetchInterval: pollMs,
  });
  return isLit && data !== undefined ? data : [];
}

const noLabels: Readonly<Record<string, string>> = {};

/** What the LEDs of a unit are called in its effective configuration, by channel; empty: not known. */
export function useLedLabels(unit: string): Readonly<Record<string, string>> {
  const { leader } = useServices();
  const { data = noLabels } = useQuery({
    queryKey: queryKeys.ledLabels(unit),
    queryFn: async ({ signal }) => {
      const { configs } = await leader.getMergedConfigs({ params: { reactor_unit: unit }, signal });
      return ownValue(ownValue(configs, unit) ?? {}, 'leds') ?? noLabels;
    },
    staleTime: 60_000,
  });
  return data;
}
