/** °C that a board cools by in a whole rest, at least, for each % of the duty before it: a fifth of what boards do. */
const leastDropPerPercent = 0.05;

/** With less heat than this, or for less time, a board may hardly cool and is not judged. */
const leastDuty = 8;
const leastHeatedS = 60;

/**
 * Whether the temperatures of a resting board (°C, oldest first) fit a heater that was at `duty` (%) for `heatedS` seconds
 * until then. A sensor that came off, or that always says the same, does not see the board cool; a heater that is broken
 * does not make it cool either.
 */
export function isPlausibleCooling(samples: readonly number[], duty: number, heatedS: number): boolean {
  const [first, last] = [samples[0], samples.at(-1)];
  if (duty < leastDuty || heatedS < leastHeatedS || first === undefined || last === undefined) return true;
  return first - last >= leastDropPerPercent * duty;
}
