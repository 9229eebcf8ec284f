import { minuteMs } from '@lcs/contract';
import { expect, it } from 'vitest';
import { defaultThermal, heated } from '../vial/thermal.ts';
import { warmUpMs } from './warm-up.ts';

/** Minutes until the simulated vial, heated half of the time, has the temperature. */
function simulatedMin(fromC: number, targetC: number): number {
  let state = { heaterC: fromC, sleeveC: fromC, liquidC: fromC };
  for (let passedS = 0; ; passedS += 100) {
    if (state.liquidC >= targetC - 0.3) return passedS / 60;
    const duty = (passedS / 100) % 2 === 0 ? 100 : 0;
    state = heated(defaultThermal, state, { duty, volumeMl: 15, ambientC: fromC, stirred: true }, 100);
  }
}

it.each([
  [22, 30],
  [24.8, 37],
  [22, 42],
])('from %s to %s °C it is near the simulated vial, in which the heater may go on to the end', (fromC, targetC) => {
  const ms = warmUpMs({ liquidC: fromC, targetC, roomC: fromC });
  expect(ms).toBeGreaterThan(0.5 * simulatedMin(fromC, targetC) * minuteMs);
  expect(ms).toBeLessThan(2 * simulatedMin(fromC, targetC) * minuteMs);
});

it('a liquid as warm as the target needs no time, and a target beyond full heat is not reached', () => {
  expect(warmUpMs({ liquidC: 37, targetC: 37.2, roomC: 22 })).toBe(0);
  expect(warmUpMs({ liquidC: 37, targetC: 30, roomC: 22 })).toBe(0);
  expect(warmUpMs({ liquidC: 10, targetC: 78, roomC: -40 })).toBeUndefined();
  // A colder room takes more heat.
  expect(warmUpMs({ liquidC: 30, targetC: 40, roomC: 10 })).toBeGreaterThan(
    warmUpMs({ liquidC: 30, targetC: 40, roomC: 25 }) ?? Number.POSITIVE_INFINITY,
  );
});
