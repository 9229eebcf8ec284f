/** The event that a unit records for each change of a vial's content by a pump or by hand. */
export const dosingEventName = 'dosing';

/** Liquid added to a vial. */
export interface Dilution {
  /** Volume before the addition, ml. */
  readonly volumeMl: number;
  /** Below 0: corrects an earlier, larger announcement. */
  readonly addedMl: number;
}

/**
 * The dilution by a dosing event; undefined: the event removed liquid, the liquid did not flow into the vial, or the event is a
 * correction of the ledger for a dose without effect, at which nothing flows. The event contains the volume before the dose, because the newest known volume may be from before, during or after the dose.
 */
export function dilutionOf(data: Readonly<Record<string, unknown>>): Dilution | undefined {
  const { event, volume_change_ml: addedMl, volume_before_ml: volumeMl, correction } = data;
  if (correction !== undefined) return undefined;
  if (typeof event !== 'string' || !event.startsWith('add_')) return undefined;
  if (typeof addedMl !== 'number' || typeof volumeMl !== 'number' || volumeMl <= 0) return undefined;
  return { volumeMl, addedMl };
}

/** The change of ln OD by a dilution; 0 for impossible volumes. */
export const logShiftOf = ({ volumeMl, addedMl }: Dilution): number => {
  const isPossible = volumeMl > 0 && volumeMl + addedMl > 0;
  return isPossible ? Math.log(volumeMl / (volumeMl + addedMl)) : 0;
};
