import { type UnitLatest as LatestOfUnit, minuteMs } from '@lcs/contract';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useLeaderNow } from '../services/use-ticking.ts';
import type { UnitTemperature } from './temperature-consequence.ts';

/** While a person decides, the values must be those of now. */
const pauseMs = 5_000;
/** The liquid is measured every 200 s; a vial may have cooled after a longer time. Chosen. */
const currentForMs = 10 * minuteMs;

/** The liquid by the newest reading; null: it has none that is current. */
function liquidOf(latest: LatestOfUnit | undefined, nowMs: number): number | null {
  const reading = latest?.readings.find(({ source }) => source === 'temperature');
  return reading !== undefined && nowMs - Date.parse(reading.x) <= currentForMs ? reading.y : null;
}

/** The temperatures of the liquid of some units; requested only while `isEnabled`. */
export function useTemperatures(
  units: readonly string[],
  nameOf: (unit: string) => string,
  isEnabled: boolean,
): readonly UnitTemperature[] {
  const { leader } = useServices();
  const nowMs = useLeaderNow();
  const { data } = useQuery({
    queryKey: queryKeys.latestTemperatures,
    queryFn: isEnabled
      ? async ({ signal }) => ({ units: await leader.listLatest({ signal }), atMs: nowMs() })
      : skipToken,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: pauseMs,
  });
  return useMemo(
    () =>
      units.map((unit) => ({
        unit: nameOf(unit),
        liquidC:
          data === undefined
            ? null
            : liquidOf(
                data.units.find(({ reactor_unit }) => reactor_unit === unit),
                data.atMs,
              ),
      })),
    [units, nameOf, data],
  );
}
