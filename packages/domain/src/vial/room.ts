/** How a simulated room changes its temperature. Absent: it keeps that of the vial's parameters. */
export type RoomCourse =
  /** A sine wave about the usual temperature: a day, or a season with a longer period. */
  | { readonly kind: 'wave'; readonly amplitudeC: number; readonly periodS: number }
  /**
   * Another temperature from `atS` of the vial's time on: at once, or with a time constant, as a room follows its heating. A later step
   * starts from the former.
   */
  | { readonly kind: 'steps'; readonly steps: readonly RoomStep[]; readonly timeConstantS: number };

export interface RoomStep {
  readonly atS: number;
  readonly celsius: number;
}

/** The room, °C, without random fluctuations; `usualC`: at the start. */
export function roomAt(course: RoomCourse | undefined, usualC: number, timeS: number): number {
  if (course === undefined) return usualC;
  if (course.kind === 'wave') return usualC + course.amplitudeC * Math.sin((2 * Math.PI * timeS) / course.periodS);
  let [celsius, target, sinceS] = [usualC, usualC, 0];
  const follow = (untilS: number): number =>
    course.timeConstantS <= 0
      ? target
      : target + (celsius - target) * Math.exp((sinceS - untilS) / course.timeConstantS);
  for (const step of course.steps) {
    if (step.atS > timeS) break;
    celsius = follow(step.atS);
    [target, sinceS] = [step.celsius, step.atS];
  }
  return follow(timeS);
}
