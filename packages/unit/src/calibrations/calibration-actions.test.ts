import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { photodiodeVolts } from '@lcs/domain';
import { GuardLost } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { calibratingUnit, fourChannels, fourPhotodiodes } from '../testing/test-calibrations.ts';
import { testExperimentUid } from '../testing/test-unit.ts';

const od = 0.5;

const unitWithActions = (start = { volumeMl: 15, od, reservoirMl: 1000 }) =>
  calibratingUnit({ layout: fourPhotodiodes, config: fourChannels, start });

/** A guard that handles each command in its own way; `send` is the usual one. */
function guardOf(
  { actuators }: Awaited<ReturnType<typeof unitWithActions>>['unit'],
  handle: (send: () => Promise<void>, level: number) => Promise<void>,
): void {
  const { acquire } = actuators;
  actuators.acquire = async (generation, outputs) => {
    const lease = await acquire.call(actuators, generation, outputs);
    const { set } = lease;
    lease.set = (...command) => handle(() => set.apply(lease, command), command[1]);
    return lease;
  };
}

describe('work of calibration sessions', () => {
  it('reads all photodiodes as they truly are, while it stirs, and leaves everything off', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const readings = { discarded: 3, speeds: [0.9, 1.1, 0.8, 1.2], spacingS: 2 };
    const progress: number[] = [];
    const work = actions.accept('s1', { kind: 'od', rpm: 500, readings })((fraction) => progress.push(fraction));
    await unit.pass(120);
    const result = await work;
    if (result.kind !== 'od') throw new Error(result.kind);
    expect(result.readings).toHaveLength(4);
    for (const reading of result.readings) {
      for (const [channel, angle] of [
        ['2', '90'],
        ['3', '135'],
        ['4', '45'],
      ] as const)
        expect(Math.abs((reading[channel] ?? 0) / photodiodeVolts(angle, od) - 1)).toBeLessThan(0.05);
    }
    expect(progress.at(-1)).toBe(1);
    await unit.pass(5);
    expect(unit.board.levels.led).toEqual({ A: 0, B: 0, C: 0, D: 0 });
    expect(unit.board.levels.pwm[1]).toBe(0);
    expect(unit.runtime.running()).toEqual([]);
  });

  it('does not start for a session that has no such work', async () => {
    const { unit } = await unitWithActions();
    await using _ = unit;
    const env = { EXPERIMENT: '_testing_exp1', JOB_SOURCE: 'calibration_session/s9' };
    const start = unit.runtime.runOwn('od_calibration', { env });
    await expect(start).rejects.toMatchObject({ code: 'session_unknown' });
    expect(unit.runtime.running()).toEqual([]);
  });

  it('fails when the stirrer does not turn, with everything off', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const readings = { discarded: 0, speeds: [1], spacingS: 1 };
    const work = actions.accept('s1', { kind: 'od', rpm: 5_000, readings })(() => {});
    const failed = expect(work).rejects.toMatchObject({ code: 'session_action_failed' });
    await unit.pass(200);
    await failed;
    await unit.pass(1);
    expect(unit.board.levels.pwm[1]).toBe(0);
  });

  it('ends with its session', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const work = actions.accept('s1', { kind: 'stirring', lowestDuty: 20, highestDuty: 40 })(() => {});
    const ended = expect(work).rejects.toThrow();
    await unit.pass(5);
    expect(unit.board.levels.pwm[1]).toBeGreaterThan(0);
    await actions.stop('another');
    expect(unit.board.levels.pwm[1]).toBeGreaterThan(0);
    await actions.stop('s1');
    await ended;
    expect(unit.board.levels.pwm[1]).toBe(0);
    expect(unit.runtime.running()).toEqual([]);
  });

  it('returns the estimate of the temperature automation, with board and duty, while it measures', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const early = expect(actions.accept('s1', { kind: 'temperature' })(() => {})).rejects.toThrow('has not measured');
    await unit.pass(1);
    await early;
    await unit.run('temperature_automation', { options: { automation_name: 'only_record_temperature' } });
    await unit.pass(600);
    const work = actions.accept('s1', { kind: 'temperature' })(() => {});
    await unit.pass(1);
    expect(await work).toEqual({
      kind: 'temperature',
      estimatedC: unit.recorded.values('temperature').at(-1),
      boardC: expect.closeTo(unit.plant.vial.state.thermal.heaterC, 0),
      duty: 0,
    });
    await unit.stop('temperature_automation');
    const late = expect(actions.accept('s1', { kind: 'temperature' })(() => {})).rejects.toThrow('has not measured');
    await unit.pass(1);
    await late;
  });
});

describe('the runs of a pump calibration', () => {
  const run = { kind: 'pump', device: 'media_pump', seconds: 8, pulses: 1, duty: 100, purpose: 'run 3 of 10' } as const;
  const ofVessel = { ...run, isFromBottle: false };
  type CalibratingUnit = Awaited<ReturnType<typeof unitWithActions>>['unit'];
  const eventsOf = ({ recorded }: CalibratingUnit, name: string) =>
    recorded.events.filter((event) => event.name === name).map(({ data }) => data);
  const pumpedMl = (unit: CalibratingUnit) =>
    eventsOf(unit, 'dosing').reduce((sum, { volume_change_ml: ml }) => sum + Number(ml), 0);

  it('are in the ledger of the experiment before they begin, with the reason, and change no volume', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const before = unit.liquids.ledger.stateOf('exp1').balance;
    const published = unit.liquids.published.length;
    const work = actions.accept('s1', { ...ofVessel, pulses: 2 })(() => {});
    await unit.pass(4);
    expect(eventsOf(unit, 'actuation')).toEqual([
      {
        output: 'media_pump',
        to: 16,
        unit: 's',
        outside_vial: true,
        source_of_event: 'calibration_session/s1',
        rule: expect.stringContaining('Calibration of the media pump, run 3 of 10'),
      },
    ]);
    expect(eventsOf(unit, 'dosing')).toMatchObject([
      { event: 'calibrate_media', source_of_event: 'pump_calibration', volume_change_ml: expect.closeTo(0.729, 3) },
    ]);
    await unit.pass(20);
    await work;
    expect(pumpedMl(unit)).toBeCloseTo(2 * 8 * 0.0911, 6);
    expect(unit.liquids.ledger.stateOf('exp1').balance).toEqual(before);
    expect(unit.recorded.eventExperiments).toEqual(['exp1', 'exp1', 'exp1']);
    expect(unit.liquids.published).toHaveLength(published);
  });

  it('lower the level of the bottle that they draw from, by what ran', async () => {
    const config = { bioreactor: { media_bottle_ml: '100' } };
    const { unit, actions } = await calibratingUnit({ config });
    await using _ = unit;
    const job = { experiment: 'exp1', experimentUid: testExperimentUid };
    const volumeMl = unit.liquids.ledger.values('exp1').current_volume_ml;
    const work = actions.accept('s1', { ...run, isFromBottle: true })(() => {});
    const cut = expect(work).rejects.toThrow();
    await unit.pass(3);
    expect(unit.liquids.ledger.bottleLeftMl(job, 'media')).toBeCloseTo(100 - 8 * 0.0911, 6);
    await actions.stop('s1');
    await cut;
    expect(unit.board.levels.pwm[2]).toBe(0);
    expect(unit.liquids.ledger.bottleLeftMl(job, 'media')).toBeCloseTo(100 - 3 * 0.0911, 3);
    expect(unit.liquids.ledger.values('exp1').current_volume_ml).toBe(volumeMl);
  });

  it.each([
    ['remove_waste', { duration: 5 }],
    ['add_alt_media', { duration: 5 }],
    ['dosing_automation', { automation_name: 'chemostat', exchange_volume_ml: 0.5, duration: 1 }],
  ])('refuse the start of %s, and not priming', async (job, options) => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const work = actions.accept('s1', ofVessel)(() => {});
    await unit.pass(2);
    await expect(unit.run(job, { options })).rejects.toMatchObject({ code: 'job_excluded' });
    await unit.run('prime_pump', { options: { pump: 'alt_media', duration: 1 } });
    await unit.pass(8);
    await work;
    expect(unit.board.levels.pwm[4]).toBe(0);
    await unit.run(job, { options });
  });

  it('do not begin beside a job that was started after the check of their step', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    await unit.run('remove_waste', { options: { duration: 5 } });
    const refused = expect(actions.accept('s1', ofVessel)(() => {})).rejects.toMatchObject({ code: 'job_excluded' });
    await unit.pass(1);
    await refused;
    expect(unit.board.levels.pwm[2]).toBe(0);
    await unit.pass(10);
    const work = actions.accept('s1', ofVessel)(() => {});
    await unit.pass(10);
    await work;
  });

  it('stay in the ledger when the guard dies before it has confirmed that the pump runs', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    guardOf(unit, async (send) => {
      await send();
      await unit.clock.sleep(1_500);
      throw new GuardLost('it was killed');
    });
    const failed = expect(actions.accept('s1', ofVessel)(() => {})).rejects.toThrow(GuardLost);
    await unit.pass(3);
    await failed;
    expect(pumpedMl(unit)).toBeCloseTo(8 * 0.0911, 6);
  });

  it('count what a pump ran on while its guard stood still, and switched it off late', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    guardOf(unit, async (send, level) => {
      if (level === 0) await unit.clock.sleep(2_000);
      await send();
    });
    const work = actions.accept('s1', ofVessel)(() => {});
    await unit.pass(12);
    await work;
    expect(pumpedMl(unit)).toBeCloseTo(10 * 0.0911, 3);
  });

  it('are among the runs of this hour that the next guard learns', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-calibrations-'));
    try {
      {
        const { unit, actions } = await calibratingUnit({ folder });
        await using _ = unit;
        for (let runs = 0; runs < 10; runs += 1) {
          const work = actions.accept('s1', { ...ofVessel, seconds: 130 })(() => {});
          await unit.pass(132);
          await work;
        }
      }
      const { unit, actions } = await calibratingUnit({ folder });
      await using _ = unit;
      const refused = expect(actions.accept('s2', { ...ofVessel, seconds: 130 })(() => {})).rejects.toThrow();
      await unit.pass(1);
      await refused;
      expect(eventsOf(unit, 'dosing').reduce((sum, { volume_change_ml: ml }) => sum + Number(ml), 0)).toBeCloseTo(0, 9);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

const clear = { volumeMl: 15, od: 0, reservoirMl: 1000 };

describe('filling a tube', () => {
  it('takes its volume from the bottle in the ledger, adds none to the vial, and records the reason', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const before = unit.liquids.ledger.values('exp1');
    const work = actions.accept('s1', { kind: 'prime', device: 'media_pump', seconds: 10 })(() => {});
    await unit.pass(12);
    const moved = await work;
    if (moved.kind !== 'prime') throw new Error(moved.kind);
    expect(moved).toMatchObject({ ranS: 10, isStopped: false });
    const doses = unit.recorded.events.filter(({ name }) => name === 'dosing').map(({ data }) => data);
    expect(doses.every(({ event }) => event === 'prime_media')).toBe(true);
    const recordedMl = doses.reduce((sum, { volume_change_ml: ml }) => sum + Number(ml), 0);
    expect(recordedMl).toBeCloseTo(moved.volumeMl, 6);
    expect(Math.abs(moved.volumeMl / unit.plant.vial.state.ledger.media - 1)).toBeLessThan(0.1);
    expect(unit.liquids.ledger.values('exp1')).toEqual(before);
    expect(unit.recorded.events.filter(({ name }) => name === 'actuation')).toMatchObject([
      { data: { output: 'media_pump', to: 10, unit: 's', source_of_event: 'calibration_session/s1' } },
    ]);
  });

  it('stops at once when a person sees liquid, and returns the volume until then', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const work = actions.accept('s1', { kind: 'prime', device: 'waste_pump', seconds: 60 })(() => {});
    await unit.pass(4.2);
    expect(unit.board.levels.pwm[4]).toBeGreaterThan(0);
    await actions.stop('s1');
    expect(unit.board.levels.pwm[4]).toBe(0);
    const moved = await work;
    expect(moved).toMatchObject({ kind: 'prime', isStopped: true, ranS: expect.closeTo(4.2, 1) });
  });

  it('is a job too, of a pump that is wired, a minute at most', async () => {
    const { unit } = await unitWithActions();
    await using _ = unit;
    await unit.run('prime_pump', { options: { pump: 'alt_media', duration: 3 } });
    await unit.pass(5);
    expect(unit.recorded.logs.at(-1)).toMatch(/INFO The alt_media pump has moved 0\.\d\d mL in 3\.0 s\./);
    expect(unit.runtime.running()).toEqual([]);
    await unit.run('add_media', { options: { duration: 3 } });
    await expect(unit.run('prime_pump', { options: { pump: 'media' } })).rejects.toMatchObject({
      code: 'pumps_refused',
      body: { cause: 'Another job runs this pump.' },
    });
    await unit.pass(10);
    await expect(unit.run('prime_pump', {})).rejects.toMatchObject({ code: 'job_options_invalid' });
    await expect(unit.run('prime_pump', { options: { pump: 'media', duration: 61 } })).rejects.toMatchObject({
      code: 'job_options_invalid',
    });
    await expect(unit.run('prime_pump', { options: { pump: 'media', ticket: 'x' } })).rejects.toMatchObject({
      code: 'job_options_invalid',
    });
  });
});

describe('the blank and the self-test of a session', () => {
  it('is not performed when everything was stopped since it was accepted', async () => {
    const { unit, actions } = await unitWithActions(clear);
    await using _ = unit;
    for (const kind of ['self_test', 'temperature'] as const) {
      const perform = actions.accept('s1', { kind });
      await unit.runtime.stopJobs({});
      await expect(perform(() => {})).rejects.toMatchObject({ code: 'job_start_overtaken' });
    }
    expect(unit.runtime.running()).toEqual([]);
  });

  it('reads the medium without storing anything, and stores given means as the job does', async () => {
    const { unit, actions } = await unitWithActions({ ...clear, od: 0.02 });
    await using _ = unit;
    const work = actions.accept('s1', { kind: 'blank_light', samples: 6 })(() => {});
    await unit.pass(120);
    const result = await work;
    if (result.kind !== 'blank_light') throw new Error(result.kind);
    expect(result.readings).toHaveLength(6);
    expect(unit.recorded.of('od_blank')).toEqual([]);
    const means = { ...result.readings[0] };
    const keeping = actions.accept('s1', { kind: 'keep_blank', means, problems: ['It drifted.'] })(() => {});
    await unit.pass(1);
    expect(await keeping).toEqual({ kind: 'keep_blank' });
    expect(unit.recorded.setting('od_blank/means')).toEqual(means);
    expect(unit.recorded.events.filter(({ name }) => name === 'od_blank')).toMatchObject([
      { data: { means, problems: ['It drifted.'] } },
    ]);
    expect(unit.recorded.of('od_blank').map(({ channel, angle }) => [channel, angle])).toEqual([
      ['2', 90],
      ['3', 135],
      ['4', 45],
    ]);
    const wrong = expect(
      actions.accept('s1', { kind: 'keep_blank', means: { 9: 1 }, problems: [] })(() => {}),
    ).rejects.toThrow();
    await unit.pass(1);
    await wrong;
  });

  it('does the requested checks, and fails when it is stopped before its end', async () => {
    const { unit, actions } = await unitWithActions(clear);
    await using _ = unit;
    const progress: number[] = [];
    const name = 'test_detect_heating_pcb';
    const work = actions.accept('s1', { kind: 'self_test', only: name })((fraction) => progress.push(fraction));
    await unit.pass(60);
    expect(await work).toEqual({
      kind: 'self_test',
      outcomes: [{ name, passed: true, why: expect.stringContaining('sensor shows') }],
    });
    expect(progress.at(-1)).toBe(1);
    const cut = expect(actions.accept('s1', { kind: 'self_test' })(() => {})).rejects.toMatchObject({
      code: 'session_action_failed',
    });
    await unit.pass(8);
    await actions.stop('s1');
    await cut;
    await unit.run('stirring');
    const refused = expect(actions.accept('s1', { kind: 'self_test' })(() => {})).rejects.toMatchObject({
      code: 'job_excluded',
    });
    await unit.pass(1);
    await refused;
  });

  it('takes no more time than a step of a session has', async () => {
    const { unit, actions } = await unitWithActions(clear);
    await using _ = unit;
    let isDone = false;
    const work = actions
      .accept('s1', { kind: 'self_test' })(() => {})
      .finally(() => {
        isDone = true;
      });
    let seconds = 0;
    for (; !isDone && seconds < 600; seconds += 5) await unit.pass(5);
    expect(seconds).toBeLessThan(290);
    await work;
  });
});
