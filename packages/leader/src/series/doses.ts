import { Dose, dosePieceGapMs, hasShape, type Json } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';

/** The dose that the data of an event `dosing` record; undefined: liquid was taken out, or another event is corrected. */
export function doseIn(data: Readonly<Record<string, Json>>, at: number): Dose | undefined {
  const dose = { at: toTimestamp(at), event: data.event, volume_ml: data.volume_change_ml };
  return hasShape(Dose, dose) ? dose : undefined;
}

/** The last dose of the pieces of one unit, which are in the order of time; null: there are none. */
export const lastDoseOf = (pieces: readonly Dose[]): Dose | null =>
  pieces.reduce<Dose | null>((dose, piece) => {
    const belongs = dose?.event === piece.event && Date.parse(piece.at) - Date.parse(dose.at) <= dosePieceGapMs;
    return belongs ? { ...piece, volume_ml: dose.volume_ml + piece.volume_ml } : piece;
  }, null);
