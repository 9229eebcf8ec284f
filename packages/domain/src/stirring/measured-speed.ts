/** RPM from the times (seconds, ascending) at which the magnet passed once per turn; one decimal, 0 when it did not pass twice. */
export function measuredRpm(passesS: readonly number[]): number {
  const first = passesS[0];
  const last = passesS.at(-1);
  if (first === undefined || last === undefined || !(last > first)) return 0;
  return Math.round((600 * (passesS.length - 1)) / (last - first)) / 10;
}

/** Seconds to count for: ten turns at the wanted speed, between one and five seconds. */
export const countingSeconds = (targetRpm: number): number =>
  targetRpm > 0 ? Math.min(5, Math.max(1, 600 / targetRpm)) : 1;
