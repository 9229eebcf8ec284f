/** No stirrer turns faster than this, in seconds for a turn: an edge that comes sooner is one that bounced. */
const fastestTurnS = 0.015;

/** RPM from the times (seconds, ascending) at which the magnet passed once per turn; one decimal, 0 when it did not pass twice. */
export function measuredRpm(edgesS: readonly number[]): number {
  const passesS: number[] = [];
  for (const edgeS of edgesS) if (edgeS - (passesS.at(-1) ?? -1) >= fastestTurnS) passesS.push(edgeS);
  const first = passesS[0];
  const last = passesS.at(-1);
  if (first === undefined || last === undefined || !(last > first)) return 0;
  return Math.round((600 * (passesS.length - 1)) / (last - first)) / 10;
}

/** Seconds to count for: ten turns at the wanted speed, between one and five seconds. */
export const countingSeconds = (targetRpm: number): number =>
  targetRpm > 0 ? Math.min(5, Math.max(1, 600 / targetRpm)) : 1;

/** Seconds to count for while a new speed is looked for, which has to be quick. */
export const searchCountingSeconds = (targetRpm: number): number => Math.min(1.5, countingSeconds(targetRpm));
