/** The event that a unit records for each change of a vial's content by a pump or by a person's hand. */
export const dosingEventName = 'dosing';

/** Liquid that came into a vial. */
export interface Dilution {
  /** In the vial before it, ml. */
  readonly volumeMl: number;
  /** Below 0: it was less than was announced. */
  readonly addedMl: number;
}

/**
 * The dilution that a dosing event made; undefined when it made none: liquid was taken out, or did not flow into the vial. The
 * ledger enters the volume before and after each dose into its event: the newest volume that is known when the event arrives
 * may be the one before, in the middle of, or after the dose.
 */
export function dilutionOf(data: Readonly<Record<string, unknown>>): Dilution | undefined {
  const { event, volume_change_ml: addedMl, volume_before_ml: volumeMl } = data;
  if (typeof event !== 'string' || !event.startsWith('add_')) return undefined;
  if (typeof addedMl !== 'number' || typeof volumeMl !== 'number' || volumeMl <= 0) return undefined;
  return { volumeMl, addedMl };
}

/** By how much ln OD changes: fresh medium thins; 0 for volumes that cannot be. */
export const logShiftOf = ({ volumeMl, addedMl }: Dilution): number => {
  const isPossible = volumeMl > 0 && volumeMl + addedMl > 0;
  return isPossible ? Math.log(volumeMl / (volumeMl + addedMl)) : 0;
};
