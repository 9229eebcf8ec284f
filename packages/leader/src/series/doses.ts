import { type Dose, DosePiece, dosePieceGapMs, hasShape, type Json } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';

/**
 * The part of a dose that the data of an event `dosing` record, below 0 when less was pumped than announced; undefined: liquid was taken out,
 * or a dose is corrected that had no effect.
 */
export function dosePieceIn(data: Readonly<Record<string, Json>>, at: number): DosePiece | undefined {
  const { event, volume_change_ml: volumeMl, job_id: jobId } = data;
  const piece = {
    at: toTimestamp(at),
    event,
    volume_ml: volumeMl,
    ...(typeof jobId === 'number' && { job_id: jobId }),
  };
  return data.correction == null && hasShape(DosePiece, piece) ? piece : undefined;
}

/** The last dose of the pieces of one unit, which are in the order of time; null: there are none. */
export function lastDoseOf(pieces: readonly DosePiece[]): Dose | null {
  const doses: Dose[] = [];
  for (const piece of pieces) {
    const open = doses.at(-1);
    const belongs =
      open?.event === piece.event &&
      open.job_id === piece.job_id &&
      Date.parse(piece.at) - Date.parse(open.at) <= dosePieceGapMs;
    if (belongs) doses.push({ ...piece, volume_ml: (doses.pop()?.volume_ml ?? 0) + piece.volume_ml });
    else doses.push(piece);
  }
  // What was announced and not pumped at all is no dose.
  return doses.findLast(({ volume_ml }) => volume_ml > leastDoseMl) ?? null;
}

/** Less is what remains of a sum of parts that were taken back. */
const leastDoseMl = 1e-6;
