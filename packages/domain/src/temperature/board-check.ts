/** Minimum cooling of a board in a pause of the heater, °C per % of the duty before it: a fifth of typical boards. */
const leastDropPerPercent = 0.05;

/** After less heating or a shorter time a board may hardly cool, and is not checked. */
const leastDuty = 8;
const leastHeatedS = 60;

/**
 * Whether the temperatures of a board during a pause of the heater (°C, oldest first) are plausible for a heater that was at `duty`
 * (%) for `heatedS` seconds before. With a detached or stuck sensor, or a broken heater, the temperatures do not fall.
 */
export function isPlausibleCooling(samples: readonly number[], duty: number, heatedS: number): boolean {
  const [first, last] = [samples[0], samples.at(-1)];
  if (duty < leastDuty || heatedS < leastHeatedS || first === undefined || last === undefined) return true;
  return first - last >= leastDropPerPercent * duty;
}
