import type { CurvePoint } from './curve-points.ts';

/** How curves are laid over each other: by their start, their first dilution, or where they first reach an OD. */
export type Alignment =
  | { readonly on: 'start' }
  | { readonly on: 'first_dilution' }
  | { readonly on: 'od'; readonly od: number };

/** A crossing counts when the OD stays above for this many points: a single noisy reading is no growth. */
const pointsAbove = 3;

/** The hour that becomes 0; null: the curve has no dilution, does not reach the OD, or begins above it. */
export function alignmentH(
  points: readonly CurvePoint[],
  alignment: Alignment,
  firstDilutionH: number | null,
): number | null {
  if (alignment.on === 'start') return points[0]?.h ?? null;
  if (alignment.on === 'first_dilution') return firstDilutionH;
  const { od } = alignment;
  const crossing = points.findIndex(
    ({ od: before }, index) =>
      before < od && points.slice(index + 1, index + 1 + pointsAbove).every((point) => point.od >= od),
  );
  const [below, above] = [points[crossing], points[crossing + 1]];
  if (crossing < 0 || below === undefined || above === undefined) return null;
  const share = Math.log(od / below.od) / Math.log(above.od / below.od);
  return below.h + share * (above.h - below.h);
}
