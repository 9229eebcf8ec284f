import { defaultVialParameters } from '@lcs/domain';
import { expect, it } from 'vitest';
import { automation, env, stateOf } from '../../testing/test-dosing.ts';
import { defaultPumpCalibrations } from '../../testing/test-ledger.ts';
import { type TestUnitOptions, testUnit } from '../../testing/test-unit.ts';

/** A chemostat with a reading every minute, of whose doses something is larger than its calibration. */
async function chemostatWith(options: TestUnitOptions) {
  const unit = await testUnit({
    ...options,
    vial: { ...options.vial, ambientC: 34 },
    start: { volumeMl: 15, od: 0.5, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: {
      bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' },
      'od_reading.config': { samples_per_second: String(1 / 60) },
    },
  });
  for (const job of ['stirring', 'od_reading']) await unit.run(job, { env });
  await automation(unit, 'chemostat', { exchange_volume_ml: 0.5, duration: 15 });
  return unit;
}

const deviations = ({ recorded }: Awaited<ReturnType<typeof testUnit>>) =>
  recorded.events.filter(({ name }) => name === 'pump_deviates').map(({ data }) => data);

it('a pump that moves three times its calibration is reported within six doses, though nothing explains the first ones', async () => {
  const { pumpFlow } = defaultVialParameters();
  const vial = { pumpFlow: { ...pumpFlow, media: 3 * pumpFlow.media } };
  await using unit = await chemostatWith({ vial, seed: 2, pumpCalibrationOf: defaultPumpCalibrations });
  await unit.pass(1.5 * 3600);
  const [first, ...others] = deviations(unit);
  expect(first).toMatchObject({ pump: 'media_pump', factor: expect.any(Number) });
  expect(Math.abs(Number(first?.factor) / 3 - 1)).toBeLessThan(0.15);
  expect(others).toEqual([]);
  expect(stateOf(unit)).toBe('ready');
});

it('exchanged tubes of medium and waste are reported as doses that are far too large', async () => {
  await using unit = await chemostatWith({ wiring: { stirrer: 1, media: 4, alt_media: 3, waste: 2, heater: 5 } });
  await unit.pass(3 * 3600);
  expect(deviations(unit)).toMatchObject([{ pump: 'media_pump' }]);
  expect(Number(deviations(unit)[0]?.factor)).toBeGreaterThan(1.5);
});
