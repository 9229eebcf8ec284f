import { type StandInLeader, startStandInLeader, startUnit, testExperiment, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { Person, placeVial, plantOf, whileTimePasses } from './calibration-fixtures.ts';

let leader: StandInLeader;
let unit: UnitUnderTest;
beforeEach(async () => {
  leader = await startStandInLeader();
  unit = await startUnit({ leaderUrl: leader.url, observe });
  await leader.put(unit.url);
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

const start = (target_device: string, protocol_name: string) =>
  unit.api.call('startUnitCalibrationSession', { body: { target_device, protocol_name } });
const post = (params: { readonly session_id: string }, inputs: object = {}) =>
  unit.api.call('advanceUnitCalibrationSession', { params, body: { inputs } });
const pumped = (): number => plantOf(unit).vial.state.ledger.media;
/** As the node itself starts jobs: how often people may ask is counted in real seconds. */
const runs = (job: string) => unit.node.jobs.runOwn(job, {});

/** Lets time pass until the pump has moved so much. */
async function untilPumped(ml: number): Promise<void> {
  const before = pumped();
  while (pumped() - before < ml) {
    await unit.clock.advance(50);
    plantOf(unit).state(unit.clock.monotonic());
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

describe('a tube that is filled', () => {
  const volumeMl = async (): Promise<unknown> => {
    const { values } = await unit.client.getBioreactor({ params: { experiment: testExperiment.name } });
    return values.current_volume_ml;
  };

  it('is full when a person sees liquid: the pump stops at once, and the session reports the volume', async () => {
    const before = await volumeMl();
    const person = await Person.start(unit, 'media_pump', 'priming');
    await person.submits();
    (await post(person.params)).expect(400, 'session_input_invalid');
    await person.submits({ is_placed: true });
    const running = post(person.params, { seconds: 40 });
    await untilPumped(0.8);
    const stopped = await post(person.params, { action: 'stop' });
    expect(stopped.expect(200)).toMatchObject({ session: { status: 'in_progress' }, step: { step_id: 'look' } });
    (await running).expect(200);
    const after = pumped();
    await unit.clock.advance(60_000);
    plantOf(unit).state(unit.clock.monotonic());
    expect(pumped()).toBe(after);
    await person.reload();
    expect(await person.submits({ liquid_shows: true })).toBe('complete');
    expect(person.session.result).toMatchObject({ device: 'media_pump', runs: 1 });
    const movedMl = person.session.result?.moved_ml ?? 0;
    expect(Math.abs(movedMl / after - 1)).toBeLessThan(0.15);
    // It went into the tube.
    expect(await volumeMl()).toBe(before);
  });
});

describe('the blank of an experiment', () => {
  it('is measured, reviewed and kept, and od_reading subtracts it', async () => {
    // A medium that scatters a little.
    placeVial(unit, 0.1);
    const person = await Person.start(unit, 'od', 'blank');
    (await post(person.params, { holds_medium_only: false })).expect(400, 'session_input_invalid');
    expect(await person.submits({ holds_medium_only: true })).toBe('review');
    expect(person.step).toMatchObject({
      title: 'The blank looks good',
      metadata: {
        chart: { series: [{ id: '2', points: expect.any(Array) }] },
        table: { rows: [['2', '90', expect.any(String), expect.any(String)]] },
      },
    });
    expect(await person.submits({ keep: true })).toBe('complete');
    const { means = {}, problems } = person.session.result ?? {};
    expect([Object.keys(means), problems]).toEqual([['2'], []]);
    placeVial(unit, 0.6);
    await runs('stirring');
    await runs('od_reading');
    await unit.clock.advance(30_000);
    const { readings } = unit.node.jobs.topics;
    const [raw, od] = [readings.latest('raw_od/2'), readings.latest('od/2')];
    expect(od).toMatchObject({ context: { calibration_name: 'od_blank' } });
    expect((raw?.value ?? 0) - (od?.value ?? 0)).toBeCloseTo(means['2'] ?? 0, 9);
    expect((await start('od', 'blank')).expect(400, 'session_refused')).toMatchObject({
      cause: 'od_reading is running: stop it first.',
      diagnostics: [{ job_name: 'od_reading' }],
    });
  });

  it('with cells in the vial is reported before it is kept', async () => {
    placeVial(unit, 1.5);
    const person = await Person.start(unit, 'od', 'blank');
    await person.submits({ holds_medium_only: true });
    expect(person.step).toMatchObject({
      title: 'The blank has a problem',
      body: expect.stringContaining('cells'),
      fields: [{ name: 'keep', default: false }],
    });
    expect(await person.submits({})).toBe('place_blank');
  });

  it('belongs to an experiment', async () => {
    await leader.put(unit.url, { experiment: null });
    expect((await start('od', 'blank')).expect(400, 'session_refused')).toMatchObject({
      cause: expect.stringContaining('no experiment'),
    });
  });
});

describe('the guided self-test', () => {
  it('explains what to do about a failed check, repeats it, and reports all results', async () => {
    placeVial(unit, 2);
    const person = await Person.start(unit, 'unit', 'self_test');
    await person.submits();
    expect(await person.submits()).toBe('failed_check');
    expect(person.step).toMatchObject({
      title: 'Failed: A clear vial hardly scatters light',
      body: expect.stringContaining('What to do: Fill the vial with clear medium'),
      metadata: { table: { rows: expect.any(Array) } },
    });
    placeVial(unit, 0);
    expect(await person.submits()).toBe('complete');
    expect(person.session.result).toMatchObject({ title: 'All 11 checks have passed', passed: 11, failed: [] });
    // Nothing was made that could be in use.
    expect(person.step).toMatchObject({ title: 'Done', body: 'All 11 checks have passed.' });
  }, 60_000);

  it('stops at once, and the session stays at its step', async () => {
    const person = await Person.start(unit, 'unit', 'self_test');
    await person.submits();
    const running = post(person.params);
    await unit.clock.advance(100);
    // Until the request has arrived, and the first check has begun.
    for (let second = 0; second < 60 && person.step.metadata.progress === undefined; second += 1) {
      await unit.clock.advance(1_000);
      await person.reload();
    }
    expect(person.step.metadata.progress).toMatchObject({ message: 'Self-test' });
    expect((await post(person.params, { action: 'stop' })).expect(200)).toMatchObject({ step: { step_id: 'prepare' } });
    (await running).expect(400, 'session_action_failed');
    await runs('stirring');
    (await whileTimePasses(unit, post(person.params))).expect(400, 'session_action_failed');
  });
});
