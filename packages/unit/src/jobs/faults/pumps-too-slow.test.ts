import { defaultOrganism, findOrganism } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { automation, env, type TestUnit } from '../../testing/test-dosing.ts';
import { defaultPumpCalibrations } from '../../testing/test-ledger.ts';
import { testUnit } from '../../testing/test-unit.ts';

const hourS = 3600;

/** It grows by 2.4 to 2.6 per hour here if its best rate is 3: after some minutes, and a little below its best temperature. */
const bacteria = (bestRate: number) => ({
  ...(findOrganism('ecoli_glucose') ?? defaultOrganism),
  bestRate,
  readiness: 5,
});

/** A turbidostat with exchanges of 0.5 mL in a culture that starts far above its target. */
async function turbidostat(bestRate: number) {
  const unit = await testUnit({
    vial: { evaporationMlPerHour: 0, ambientC: 37, organism: bacteria(bestRate) },
    start: { volumeMl: 15, od: 0.8, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: { bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' } },
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
    await using unit = await turbidostat(3);
    await unit.pass(2 * hourS);
    expect(reports(unit)).toHaveLength(1);
    const { data } = reports(unit)[0] ?? {};
    expect(Number(data?.biomass_to_target)).toBeGreaterThan(1.12);
    expect(Number(data?.fastest_dilution_per_hour)).toBeGreaterThan(1.5);
  }, 60_000);

  it('that dilutes a dense culture to its target does not', async () => {
    await using unit = await turbidostat(0.5);
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

  it('that starts before its rare readings knows their interval by the configuration', async () => {
    await using unit = await testUnit({ config: { 'od_reading.config': { samples_per_second: String(1 / 120) } } });
    unit.runtime.topics.readings.publish('growth_rate', { source: 'growth_rate', value: 1.7, atMs: unit.clock.now() });
    await automation(unit, 'turbidostat', { target_biomass: 5, biomass_signal: 'od', exchange_volume_ml: 0.5 });
    expect(reports(unit)).toMatchObject([{ data: { growth_per_hour: 1.7 } }]);
  });
});

interface Growing {
  readonly bestRate: number;
  readonly readingEveryS: number;
  readonly isBlocked?: boolean;
  readonly policy?: 'pause' | 'warn';
}

/** A turbidostat just below its target, with exchanges of 0.5 mL. */
async function growing({ bestRate, readingEveryS, isBlocked = false, policy = 'pause' }: Growing) {
  const unit = await testUnit({
    vial: {
      evaporationMlPerHour: 0,
      ambientC: 37,
      organism: bacteria(bestRate),
      ...(isBlocked && { faults: [{ fault: 'media_blocked', fromS: hourS, untilS: 1e9 }] }),
    },
    start: { volumeMl: 15, od: 0.45, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: {
      bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' },
      'od_reading.config': { samples_per_second: String(1 / readingEveryS) },
      'dosing_automation.config': { on_missing_effect: policy },
    },
  });
  for (const job of ['stirring', 'od_reading']) await unit.run(job, { env });
  await unit.pass(5);
  const target = 1.1 * (unit.recorded.values('od').at(-1) ?? 0);
  await automation(unit, 'turbidostat', { target_biomass: target, biomass_signal: 'od', exchange_volume_ml: 0.5 });
  return unit;
}

describe.each([5, 30, 60, 120])('with a reading every %d s', (readingEveryS) => {
  it('growth of 2.5 per hour, beyond what its exchanges wash out, is reported within 30 minutes', async () => {
    await using unit = await growing({ bestRate: 3, readingEveryS });
    await unit.pass(0.5 * hourS);
    expect(reports(unit)).toHaveLength(1);
    const { data } = reports(unit)[0] ?? {};
    expect(Number(data?.growth_per_hour)).toBeGreaterThan(Number(data?.fastest_dilution_per_hour));
    expect(unit.runtime.settings('dosing_automation').$state).toBe('ready');
  }, 60_000);

  it.each(['pause', 'warn'] as const)(
    'a blocked medium is not taken for growth (%s)',
    async (policy) => {
      await using unit = await growing({ bestRate: 0.6, readingEveryS, isBlocked: true, policy });
      await unit.pass(3 * hourS);
      expect(reports(unit)).toEqual([]);
      expect(unit.recorded.events.some(({ name }) => name === 'dose_implausible')).toBe(true);
    },
    60_000,
  );
});

it('a chemostat whose exchange takes longer than its period warns at the start', async () => {
  await using unit = await testUnit();
  await automation(unit, 'chemostat', { duration: 0.5, exchange_volume_ml: 1 });
  expect(unit.recorded.logs.filter((line) => line.startsWith('WARNING') && line.includes('longer than'))).toHaveLength(
    1,
  );
});
