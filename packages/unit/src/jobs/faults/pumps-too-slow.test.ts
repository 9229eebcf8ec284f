import { describe, expect, it } from 'vitest';
import { automation, env, type TestUnit } from '../../testing/test-dosing.ts';
import { defaultPumpCalibrations } from '../../testing/test-ledger.ts';
import { type TestUnitOptions, testUnit } from '../../testing/test-unit.ts';

const hourS = 3600;

/** A turbidostat with exchanges of 0.5 mL in a culture that starts far above its target, with pumps of this flow. */
async function turbidostat(speed: number, more: TestUnitOptions = {}) {
  const unit = await testUnit({
    vial: { evaporationMlPerHour: 0, ambientC: 34, speed },
    start: { volumeMl: 15, od: 0.8, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: { bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' } },
    ...more,
  });
  for (const job of ['stirring', 'od_reading']) await unit.run(job, { env });
  await unit.pass(120);
  const target = 0.6 * (unit.recorded.values('od').at(-1) ?? 0);
  await automation(unit, 'turbidostat', { target_biomass: target, biomass_signal: 'od', exchange_volume_ml: 0.5 });
  return unit;
}

const reports = (unit: TestUnit) => unit.recorded.events.filter(({ name }) => name === 'dosing_cannot_keep_up');

describe('a turbidostat', () => {
  it('that its pumps cannot keep at its target says so once, with the numbers', async () => {
    await using unit = await turbidostat(10);
    await unit.pass(2 * hourS);
    expect(reports(unit)).toHaveLength(1);
    const { data } = reports(unit)[0] ?? {};
    expect(Number(data?.biomass_to_target)).toBeGreaterThan(1.12);
    expect(Number(data?.fastest_dilution_per_hour)).toBeGreaterThan(1.5);
  }, 60_000);

  it('that dilutes a dense culture to its target does not', async () => {
    await using unit = await turbidostat(1);
    await unit.pass(2 * hourS);
    expect(reports(unit)).toEqual([]);
    const target = Number(unit.runtime.settings('dosing_automation').target_biomass);
    expect(unit.recorded.values('od').at(-1) ?? 9).toBeLessThan(1.1 * target);
  }, 60_000);

  it('whose culture grows too fast for its pumps is reported at the start', async () => {
    const slow = 0.2;
    await using unit = await testUnit({
      pumpCalibrationOf: (device) => {
        const { volumeIn = (seconds: number) => seconds, secondsFor = (ml: number) => ml } =
          defaultPumpCalibrations(device)?.flow ?? {};
        const flow = {
          volumeIn: (seconds: number) => slow * volumeIn(seconds),
          secondsFor: (ml: number) => secondsFor(ml / slow),
        };
        return { name: `${device}-1`, duty: 100, flow };
      },
    });
    unit.runtime.topics.readings.publish('growth_rate', { source: 'growth_rate', value: 1.7, atMs: unit.clock.now() });
    await automation(unit, 'turbidostat', { target_biomass: 5, biomass_signal: 'od', exchange_volume_ml: 0.5 });
    expect(reports(unit)).toMatchObject([{ data: { growth_per_hour: 1.7 } }]);
  });
});

it('a chemostat whose exchange takes longer than its period warns at the start', async () => {
  await using unit = await testUnit();
  await automation(unit, 'chemostat', { duration: 0.5, exchange_volume_ml: 1 });
  expect(unit.recorded.logs.filter((line) => line.startsWith('WARNING') && line.includes('longer than'))).toHaveLength(
    1,
  );
});
