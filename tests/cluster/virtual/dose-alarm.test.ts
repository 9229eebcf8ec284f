import { realClock, VirtualClock } from '@lcs/platform';
import { startLeader, startUnit } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';

const experiment = 'dry bottle';
const model = { model_name: 'reactor_20ml', model_version: '1.5' };

/** As a person makes it: a pump of about 0.0911 mL/s. */
const calibrationOf = (device: string): string => `\
calibration_type: simple_peristaltic_pump
calibration_name: ${device}-1
calibrated_on_reactor_unit: unit1
created_at: 2026-01-01T00:00:00Z
curve_data_: {type: poly, coefficients: [0.0911, 0.0]}
recorded_data: {x: [1.0, 10.0], y: [0.0911, 0.911]}
hz: 250
dc: 100.0
voltage: 12.0
`;

it('a pump that moves air causes an alarm of the leader, with the pump and the message of the unit', async () => {
  const clock = new VirtualClock({ stallLimitMs: 60_000, batchesTimers: true, turns: 1 });
  const wire = realClock();
  await using leader = await startLeader({ clock, configure: { checkResponses: false } });
  const { client } = leader;
  await client.createExperiment({ body: { experiment } });
  const vial = { initialOd: 0.6, faults: [{ fault: 'media_dry', fromS: 0, untilS: 1e9 }] } as const;
  const board = { kind: 'here', seed: 1, oversampling: 'closed_form', vial } as const;
  await using unit = await startUnit({ clock, leaderUrl: leader.url, configure: { board, checkResponses: false } });
  await client.registerWorker({ body: { reactor_unit: 'unit1', ...model } });
  await client.assignWorker({ params: { experiment }, body: { reactor_unit: 'unit1' } });
  const facts = async () => (await client.listUnits()).find(({ applied_version }) => applied_version > 0);
  await vi.waitUntil(facts, { timeout: 20_000, interval: 20 });
  for (const device of ['media_pump', 'waste_pump']) {
    const body = { calibration_data: calibrationOf(device), set_as_active: true };
    await unit.client.createUnitCalibration({ params: { device }, body });
  }
  const run = async (job: string, options: Readonly<Record<string, number | string>> = {}) => {
    const params = { reactor_unit: 'unit1', job, experiment };
    const task = leader.finished(await client.runWorkerJob({ params, body: { options } }));
    const ended = Symbol();
    while ((await Promise.race([task.then(() => ended), wire.sleep(5)])) !== ended) await clock.advance(50);
    expect(JSON.stringify(await task)).toContain('"ok":true');
  };
  await run('stirring');
  await run('od_reading');
  await clock.advance(120_000);
  const automation = { automation_name: 'turbidostat', biomass_signal: 'od', target_biomass: 0.01 };
  await run('dosing_automation', { ...automation, exchange_volume_ml: 0.5 });
  const alarms = async () => (await client.listAlarms({ query: {} })).filter(({ rule }) => rule === 'dose_implausible');
  for (let minute = 0; minute < 240 && (await alarms()).length === 0; minute += 1) {
    await clock.advance(60_000);
    await wire.sleep(20);
  }
  expect(await alarms()).toMatchObject([
    {
      rule: 'dose_implausible',
      reactor_unit: 'unit1',
      detail: 'media_pump',
      message: expect.stringContaining('did not arrive'),
    },
  ]);
  // The timeline has each exchange once with its volumes, the reason, and the target; and the alarm.
  const timeline = await client.getTimeline({ params: { experiment }, query: { limit: 1000 } });
  const ofKind = (wanted: string) => timeline.filter(({ kind }) => kind === wanted);
  const [newest] = ofKind('dose');
  expect(newest).toMatchObject({ reactor_unit: 'unit1', refused: false, why: expect.stringContaining('target') });
  for (const { volumes_ml } of ofKind('dose').slice(1)) {
    expect(volumes_ml?.media).toBeCloseTo(0.5, 1);
    expect(volumes_ml?.waste).toBeCloseTo(0.5, 1);
  }
  expect(ofKind('setting').map(({ automation }) => automation?.settings.target_biomass)).toEqual([0.01]);
  expect(ofKind('alarm').map(({ text }) => text)).toContainEqual(expect.stringContaining('did not arrive'));
}, 120_000);
