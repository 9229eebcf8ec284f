import { defaultNoise, defaultVialParameters } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { automation, env } from '../../testing/test-dosing.ts';
import { testUnit } from '../../testing/test-unit.ts';

const faultS = { fromS: 1800, untilS: 3000 };

/** When a turbidostat dosed, in seconds, whose target is so low that it doses by whatever is read. */
async function dosesWith(fault: 'vial_removed' | 'bubbles', biomass_signal: string) {
  await using unit = await testUnit({
    vial: { evaporationMlPerHour: 0, faults: [{ fault, ...faultS }] },
    start: { volumeMl: 15, od: 0.6, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: { bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' } },
  });
  const startMs = unit.clock.now();
  for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await unit.run(job, { env });
  await unit.pass(300);
  await automation(unit, 'turbidostat', { target_biomass: 0.0001, biomass_signal, exchange_volume_ml: 0.05 });
  const dosesAtS: number[] = [];
  let known = unit.recorded.events.length;
  while (unit.clock.now() < startMs + 4200_000) {
    await unit.pass(10);
    const fresh = unit.recorded.events.slice(known);
    known = unit.recorded.events.length;
    if (fresh.some(({ data }) => data.event === 'add_media')) dosesAtS.push((unit.clock.now() - startMs) / 1000);
  }
  const flagged = unit.recorded.of('od').filter(({ flags = [] }) => flags.length > 0);
  return {
    between: (fromS: number, toS: number) => dosesAtS.filter((atS) => atS > fromS && atS <= toS).length,
    flaggedS: flagged.map(({ atMs }) => (atMs - startMs) / 1000),
    logs: unit.recorded.logs,
  };
}

/** Doses of a turbidostat in a growing culture at its target, whose OD jumps up and down: in 15 min, and in the hour after them. */
async function dosesWithFlicker(amplitude: number, everyS: number, biomass_signal: string) {
  await using unit = await testUnit({
    vial: {
      evaporationMlPerHour: 0,
      ambientC: 37,
      organism: { ...defaultVialParameters().organism, readiness: 5 },
      noise: { ...defaultNoise, drift: { kind: 'flicker', amplitude, everyS } },
    },
    start: { volumeMl: 15, od: 0.6, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: { bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' } },
  });
  for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await unit.run(job, { env });
  await unit.pass(300);
  const source = biomass_signal === 'od' ? 'od' : 'od_filtered';
  const values = unit.recorded.values(source);
  const target_biomass = 0.9 * (values.reduce((sum, value) => sum + value, 0) / values.length);
  await automation(unit, 'turbidostat', { target_biomass, biomass_signal, exchange_volume_ml: 0.5 });
  const doses = () => unit.recorded.events.filter(({ data }) => data.event_name === 'DosingStarted').length;
  await unit.pass(900);
  const inTheFirstMinutes = doses();
  await unit.pass(3600);
  return { inTheFirstMinutes, later: doses() - inTheFirstMinutes, logs: unit.recorded.logs };
}

describe('a turbidostat doses nothing', () => {
  it.each([
    ['od', 'vial_removed', 'vial_out', 15],
    ['normalized_od', 'vial_removed', 'vial_out', 15],
    ['od', 'bubbles', 'bubbles', 300],
    ['normalized_od', 'bubbles', 'bubbles', 300],
  ] as const)(
    'by %s while %s continues',
    async (signal, fault, flag, withinS) => {
      const { between, flaggedS, logs } = await dosesWith(fault, signal);
      expect(between(600, faultS.fromS)).toBeGreaterThan(10);
      expect(flaggedS.length).toBeGreaterThan(150);
      // An exchange that was begun by a good reading is finished.
      const quietFromS = faultS.fromS + withinS + 30;
      expect(between(quietFromS, faultS.untilS)).toBe(0);
      expect(between(Math.max(...flaggedS) + 60, 4200)).toBeGreaterThan(5);
      expect(logs.join()).toContain(flag);
    },
    60_000,
  );

  it.each([
    ['od', 15],
    ['od', 60],
    ['normalized_od', 30],
  ] as const)(
    'by %s that jumps between two levels about every %d s',
    async (biomass_signal, everyS) => {
      const doses = await dosesWithFlicker(0.2, everyS, biomass_signal);
      expect(doses.inTheFirstMinutes).toBeLessThanOrEqual(2);
      expect(doses.later).toBe(0);
      expect(doses.logs.join()).toContain('bubbles');
    },
    60_000,
  );
});

it('a turbidostat doses by OD that jumps up and down by 2 %', async () => {
  const { later, logs } = await dosesWithFlicker(0.02, 30, 'od');
  expect(later).toBeGreaterThan(5);
  expect(logs.join()).not.toContain('bubbles');
}, 60_000);
