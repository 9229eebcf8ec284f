import type { Pump } from '../vial/vial-parameters.ts';

/** Why a dose is not begun, or ends before its time. */
export type DoseLimit = 'overflow' | 'bottle_empty';

export interface DoseRoom {
  /** In the vial now, ml. */
  readonly volumeMl: number;
  /** An inflow must stay below this, ml. */
  readonly stopLimitMl: number;
  /** In the pump's bottle, or room in that for waste, ml; undefined: not known, not checked. */
  readonly bottleLeftMl: number | undefined;
}

/** Rounding of sums of doses must not refuse the last one of a bottle, ml. */
const tolerance = 1e-9;

/** What a further `volumeMl` of a pump would do that must not be; undefined when it may be moved. */
export function doseLimit(pump: Pump, volumeMl: number, room: DoseRoom): DoseLimit | undefined {
  if (volumeMl <= 0) return undefined;
  // So written that no number (NaN) is no room.
  if (pump !== 'waste' && !(room.volumeMl + volumeMl < room.stopLimitMl)) return 'overflow';
  if (room.bottleLeftMl !== undefined && !(volumeMl <= room.bottleLeftMl + tolerance)) return 'bottle_empty';
  return undefined;
}
