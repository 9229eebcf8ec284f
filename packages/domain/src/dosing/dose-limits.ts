import type { Pump } from '../vial/vial-parameters.ts';

/** Why a dose does not start, or ends early. */
export type DoseLimit = 'overflow' | 'bottle_empty';

/** How much liquid the vial and a bottle can still take or give. */
export interface DoseHeadroom {
  /** Volume of the vial's content, ml. */
  readonly volumeMl: number;
  /** An inflow must keep the volume below this limit, ml. */
  readonly stopLimitMl: number;
  /** Content of the pump's bottle, or free volume of the waste bottle, ml; undefined: unknown, not checked. */
  readonly bottleLeftMl: number | undefined;
}

/** Rounding errors of summed doses must not refuse the last dose of a bottle, ml. */
const tolerance = 1e-9;

/** The limit that a further `volumeMl` of a pump would exceed; undefined: none. */
export function doseLimit(pump: Pump, volumeMl: number, headroom: DoseHeadroom): DoseLimit | undefined {
  if (volumeMl <= 0) return undefined;
  // Written so that NaN is refused.
  if (pump !== 'waste' && !(headroom.volumeMl + volumeMl < headroom.stopLimitMl)) return 'overflow';
  if (headroom.bottleLeftMl !== undefined && !(volumeMl <= headroom.bottleLeftMl + tolerance)) return 'bottle_empty';
  return undefined;
}
