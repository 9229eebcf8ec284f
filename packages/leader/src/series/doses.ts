import { Dose, hasShape, type Json } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';

/** The dose that the data of an event `dosing` record; undefined: liquid was taken out, or another event is corrected. */
export function doseIn(data: Readonly<Record<string, Json>>, at: number): Dose | undefined {
  const dose = { at: toTimestamp(at), event: data.event, volume_ml: data.volume_change_ml };
  return hasShape(Dose, dose) ? dose : undefined;
}
