/** Minimum duration of a turn, s: an edge that comes sooner is a bounce of the sensor. */
const fastestTurnS = 0.015;

/** RPM from the times (seconds, ascending) of the sensor's edge once per turn; one decimal, 0 for fewer than two edges. */
export function measuredRpm(edgesS: readonly number[]): number {
  const passesS: number[] = [];
  for (const edgeS of edgesS) if (edgeS - (passesS.at(-1) ?? -1) >= fastestTurnS) passesS.push(edgeS);
  const first = passesS[0];
  const last = passesS.at(-1);
  if (first === undefined || last === undefined || !(last > first)) return 0;
  return Math.round((600 * (passesS.length - 1)) / (last - first)) / 10;
}

/** The longest duration of a speed measurement, s. */
const longestCountS = 5;

/** The slowest speed that every measurement finds, RPM: two edges in its longest duration. */
export const slowestMeasuredRpm = (2 * 60) / longestCountS;

/** The settings and options that are speeds to reach. */
export const stirringTargets: readonly string[] = [
  'target_rpm',
  'target_rpm_during_od_reading',
  'target_rpm_outside_od_reading',
];

/** Whether a target is so slow that the stirrer is taken for standing still; 0 is meant. */
export const isTooSlowToMeasure = (targetRpm: number): boolean => targetRpm > 0 && targetRpm < slowestMeasuredRpm;

/** Duration of a speed measurement: ten turns at the target speed, between one and five seconds. */
export const countingSeconds = (targetRpm: number): number =>
  targetRpm > 0 ? Math.min(longestCountS, Math.max(1, 600 / targetRpm)) : 1;

/** Duration of a speed measurement during the search for a new duty, which must be quick. */
export const searchCountingSeconds = (targetRpm: number): number => Math.min(1.5, countingSeconds(targetRpm));
