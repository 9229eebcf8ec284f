import type { SessionEnvelope } from '@lcs/contract';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { plantOf, whileTimePasses } from './calibration-fixtures.ts';

let leader: LeaderUnderTest;
let unit: UnitUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'ramp' } });
  unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock });
  const model = { model_name: 'reactor_20ml', model_version: '1.5' };
  await leader.client.registerWorker({ body: { reactor_unit: 'unit1', ...model } });
  await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'unit1' } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    10_000,
  );
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

const ofUnit = { reactor_unit: 'unit1' };
const inExperiment = { experiment: 'ramp' };

async function run(job: string, options: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const accepted = (
    await leader.api.call('runWorkerJob', { params: { ...ofUnit, ...inExperiment, job }, body: { options } })
  ).expect(202);
  expect(await whileTimePasses(unit, leader.finished(accepted))).toMatchObject({ status: 'succeeded' });
}

it('a pump is calibrated beside a running experiment: said first, without dosing, and recorded in the experiment', async () => {
  await run('stirring');
  await run('dosing_automation', { automation_name: 'silent', duration: 30 });
  const body = { target_device: 'media_pump', protocol_name: 'duration_based' };
  const start = () => leader.api.call('startCalibrationSession', { params: ofUnit, body });
  expect((await start()).expect(400, 'session_refused')).toMatchObject({
    diagnostics: [{ job_name: 'dosing_automation' }],
  });
  const stopped = await leader.client.stopWorkerJob({
    params: { ...ofUnit, ...inExperiment, job_name: 'dosing_automation' },
  });
  await whileTimePasses(unit, leader.finished(stopped));
  let envelope: SessionEnvelope = await leader.client.startCalibrationSession({ params: ofUnit, body });
  const { session_id } = envelope.session;
  const effect = envelope.step?.metadata.experiment_effect ?? '';
  expect(effect).toMatch(/^unit1 is in the experiment ramp, where stirring runs\. The media pump runs/);
  expect(envelope.step?.body?.startsWith(effect)).toBe(true);
  const submits = async (inputs: Readonly<Record<string, unknown>> = {}) => {
    const params = { ...ofUnit, session_id };
    const advanced = leader.client.advanceCalibrationSession({ params, body: { inputs } });
    envelope = await whileTimePasses(unit, advanced);
  };
  const { values: before } = await unit.client.getBioreactor({ params: inExperiment });
  for (const inputs of [{}, {}, {}, {}, {}, { hz: 250, dc: 100 }, {}, { prime_duration_s: 5 }]) await submits(inputs);
  expect(envelope.step).toMatchObject({ step_id: 'tracer_run', metadata: { experiment_effect: effect } });
  await submits();
  const pumpedMl = plantOf(unit).vial.state.ledger.media;
  expect(pumpedMl).toBeGreaterThan(0.4);
  expect((await unit.client.getBioreactor({ params: inExperiment })).values).toEqual(before);
  const shown = async () => {
    const actuations = await leader.client.listExperimentActuations({
      params: inExperiment,
      query: { output: 'media_pump' },
    });
    expect(actuations.every(({ outside_vial: isOutside }) => isOutside === true)).toBe(true);
    expect(actuations.map(({ to, unit: of, rule }) => [to, of, rule?.replace(/:.*/, '')])).toEqual([
      [1, 's', 'Calibration of the media pump, test run'],
      [5, 's', 'Calibration of the media pump, filling the tubes'],
    ]);
    const timeline = await leader.client.getTimeline({ params: inExperiment, query: { kinds: 'dose' } });
    expect(timeline.map(({ text, volumes_ml: volumes }) => [text, volumes])).toEqual([
      ['Pump run: 1 s by the media pump, into a vessel', null],
      ['Pump run: 5 s by the media pump, into a vessel', null],
    ]);
  };
  await whileTimePasses(unit, vi.waitFor(shown, 10_000));
}, 60_000);
