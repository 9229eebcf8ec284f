/** What a calibration found: this duty (%) turns the stirrer at this speed. */
export interface CalibrationPoint {
  readonly duty: number;
  readonly rpm: number;
}

/**
 * The duty for a speed, by straight lines between neighbouring points; beyond them the outermost line goes on.
 * `undefined` with fewer than two points, when the points do not rise, or when no duty from 0 to 100 gives the speed.
 */
export function dutyForRpm(points: readonly CalibrationPoint[], rpm: number): number | undefined {
  const sorted = points.toSorted((a, b) => a.duty - b.duty);
  const rises = sorted.every((point, index) => {
    const before = sorted[index - 1];
    return before === undefined || (point.rpm > before.rpm && point.duty > before.duty);
  });
  if (sorted.length < 2 || !rises) return undefined;
  const above = sorted.findIndex((point) => point.rpm >= rpm);
  const right = above < 0 ? sorted.length - 1 : Math.max(1, above);
  const [low, high] = [sorted[right - 1], sorted[right]];
  if (low === undefined || high === undefined) return undefined;
  const duty = low.duty + ((rpm - low.rpm) / (high.rpm - low.rpm)) * (high.duty - low.duty);
  return duty >= 0 && duty <= 100 ? duty : undefined;
}
