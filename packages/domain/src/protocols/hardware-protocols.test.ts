import { describe, expect, it } from 'vitest';
import { factsOfUnit, noHardware, PlainSession, xrFacts } from '../testing/test-session.ts';
import { experimentEffect } from './experiment-effect.ts';
import { blockingJobs, InvalidInput, type ProtocolAction, type ProtocolFacts } from './protocol.ts';
import { availableProtocols, protocolFor } from './protocols.ts';
import { pumpProtocol, testDurations } from './pump-protocol.ts';

describe('the stirrer', () => {
  it('is fitted to the points where it turned', () => {
    const points = [20, 25, 30, 35, 40, 30].map((duty) => ({ duty, rpm: duty === 20 ? 0 : 21 * (duty - 6) }));
    const session = new PlainSession('stirring', 'dc_based', factsOfUnit, (action) => {
      expect(action).toEqual({ kind: 'stirring', lowestDuty: 0.66 * 30, highestDuty: 1.33 * 30 });
      return { kind: 'stirring', points, supplyV: 5 };
    });
    session.gives();
    expect(session.gives()).toBe('complete');
    expect(session.files[0]?.content).toMatchObject({
      calibration_name: 'stirring-calibration-2026-11-21_04-24',
      recorded_data: { x: [25, 30, 35, 40, 30] },
    });
  });

  it('without any rotation gives no calibration', () => {
    const session = new PlainSession('stirring', 'dc_based', factsOfUnit, () => ({
      kind: 'stirring',
      points: [{ duty: 20, rpm: 0 }],
      supplyV: 5,
    }));
    session.gives();
    expect(() => session.gives()).toThrow(InvalidInput);
    expect(session.stepId).toBe('run_calibration');
  });
});

describe('a pump', () => {
  it('runs for times around the requested volumes', () => {
    const durations = testDurations([1], 0.09);
    expect(durations).toHaveLength(10);
    expect(durations[0]).toBeCloseTo(8.889, 3);
    expect(durations[4]).toBeCloseTo(10.556, 3);
    expect(durations[9]).toBeCloseTo(12.222, 3);
  });

  it('is not run for longer than the guard allows', () => {
    const session = new PlainSession('media_pump', 'duration_based', factsOfUnit, noHardware);
    for (let step = 0; step < 3; step += 1) session.gives();
    session.gives({});
    expect(() => session.gives({ mls_to_calibrate_for: [0] })).toThrow('above 0');
    session.gives({});
    expect(() => session.gives({ hz: 250, dc: 0 })).toThrow('dc');
    session.gives({ hz: 250, dc: 100 });
    session.gives();
    expect(() => session.gives({ prime_duration_s: 4 })).toThrow('at least 5');
    expect(() => session.gives({ prime_duration_s: 134 })).toThrow('133 s at most');
  });
});

/** A session of a pump that moves 0.1 mL/s, whose trial run was weighed. */
function pumpSession() {
  const session = new PlainSession('media_pump', 'duration_based', factsOfUnit, ({ kind }) =>
    kind === 'supply' ? { kind, supplyV: 12 } : { kind: 'pump' },
  );
  const begin = [{}, {}, {}, {}, {}, { hz: 250, dc: 100 }, {}, { prime_duration_s: 5 }, {}, { volume_ml: 0.1 }];
  const weigh = (volumes: readonly number[]) => volumes.flatMap((volume_ml) => [{}, { volume_ml }]);
  const runs = () => session.step.metadata.table?.rows.map(([, , volume, , remark]) => [volume, remark]);
  const give = (all: readonly object[]) => all.map((inputs) => session.gives({ ...inputs })).at(-1);
  return { session, begin, weigh, runs, give };
}

describe('a pump of a running experiment', () => {
  const dosing = { ...factsOfUnit, runningJobs: ['monitor', 'stirring', 'dosing_automation'] };

  it('is not calibrated while a job may dose through it, and stopping that job is enough', () => {
    expect(pumpProtocol.refusal('media_pump', dosing)).toBe('dosing_automation is running: stop it first.');
    expect(blockingJobs(pumpProtocol, 'media_pump', dosing)).toEqual(['dosing_automation']);
    const plugin = { ...factsOfUnit, runningJobs: ['feeder', 'stirring'], pluginPumpJobs: ['feeder'] };
    expect(blockingJobs(pumpProtocol, 'waste_pump', plugin)).toEqual(['feeder']);
    const own = { ...factsOfUnit, runningJobs: ['pump_calibration', 'prime_pump', 'temperature_automation'] };
    expect(pumpProtocol.refusal('media_pump', own)).toBeUndefined();
  });

  it('is not run once a job that doses was started during the session', () => {
    const facts = { ...factsOfUnit, runningJobs: ['monitor'] };
    const session = new PlainSession('media_pump', 'duration_based', facts, noHardware);
    for (const inputs of [{}, {}, {}, {}, {}, { hz: 250, dc: 100 }, {}]) session.gives(inputs);
    facts.runningJobs = ['add_media'];
    expect(() => session.gives({ prime_duration_s: 5 })).toThrow('add_media is running: stop it first.');
    expect(session.stepId).toBe('prime_pump_duration');
  });

  it('draws from the bottle of the experiment only if a person says so', () => {
    const drawn = (facts: ProtocolFacts, inputs: object, device = 'media_pump') => {
      const actions: ProtocolAction[] = [];
      const session = new PlainSession(device, 'duration_based', facts, (action) => {
        actions.push(action);
        return { kind: 'pump' };
      });
      for (const each of [{}, {}, {}, {}, {}, { hz: 250, dc: 100 }]) session.gives(each);
      const fields = session.step.fields.map(({ name }) => name);
      session.gives({ ...inputs });
      session.gives({ prime_duration_s: 5 });
      return [fields, actions];
    };
    const filled = { kind: 'pump', seconds: 5, pulses: 1, duty: 100, purpose: 'filling the tubes' };
    const media = { ...filled, device: 'media_pump' };
    expect(drawn(factsOfUnit, {})).toEqual([['draws_from_bottle'], [{ ...media, isFromBottle: false }]]);
    expect(drawn(factsOfUnit, { draws_from_bottle: 'yes' })[1]).toEqual([{ ...media, isFromBottle: true }]);
    expect(drawn({ ...factsOfUnit, experiment: undefined }, { draws_from_bottle: true })).toEqual([
      [],
      [{ ...media, isFromBottle: false }],
    ]);
    expect(drawn(factsOfUnit, {}, 'waste_pump')[0]).toEqual([]);
  });
});

it('every procedure says what it does to the experiment of its unit, and which jobs run there', () => {
  const facts = { ...xrFacts, runningJobs: ['monitor', 'od_reading', 'stirring', 'stirring', 'pump_calibration'] };
  for (const { target_device: device, protocol_name: name } of availableProtocols(facts)) {
    const protocol = protocolFor(device, name, facts) ?? expect.fail(name);
    expect(experimentEffect(protocol, device, facts)).toMatch(
      /^unit1 is in the experiment exp1, where OD reading and stirring run\. [A-Z].*\.$/,
    );
    expect(experimentEffect(protocol, device, { ...facts, experiment: undefined })).toBeUndefined();
  }
  expect(availableProtocols(facts).map(({ protocol_name: name }) => name)).toContain('self_test');
});

describe('the runs of a pump', () => {
  it('are repeated from any step when the last weight is wrong', () => {
    const { session, begin, weigh, give } = pumpSession();
    give([...begin, ...weigh([0.8, 0.8, 0.8, 0.8, 0.95, 0.95, 1.1, 1.1, 1.1]), {}]);
    const redo = { action: 'redo_last' };
    expect(session.step.metadata.actions).toMatchObject([{ inputs: redo }]);
    expect(give([redo, redo, { volume_ml: 1.1 }, {}, { volume_ml: 1.1 }])).toBe('complete');
  });

  it('never start by the button that takes a weight back: it asks for an empty vessel first', () => {
    const { session, begin, weigh, give } = pumpSession();
    give([...begin, ...weigh([0.8, 0.9])]);
    const [again] = session.step.metadata.actions ?? [];
    expect(session.gives(again?.inputs)).toBe('test_run');
    expect(session.step).toMatchObject({
      title: 'Run 2 of 10',
      metadata: { primary_action_label: 'Start the pump' },
    });
    expect(session.data.results).toEqual([0.8]);
    // A program that names no more than the action gets the run at once.
    expect(session.gives({ action: 'redo_last' })).toBe('test_volume');
    expect(session.data.results).toEqual([]);
    const [ofRun] = session.step.metadata.actions ?? [];
    expect(session.gives(ofRun?.inputs)).toBe('test_run');
  });

  it('are flagged at once when they are implausible, and one in the middle is repeated or left out', () => {
    const { session, begin, weigh, runs, give } = pumpSession();
    // The trial run promises 0.8 mL.
    give([...begin, ...weigh([0.1])]);
    expect(runs()).toEqual([['0.100', 'Check']]);
    expect(session.step.metadata.notice).toContain('Run 1 ');
    give(weigh([0.96]));
    // Two runs of one duration that differ: either may be the wrong one.
    expect(session.step.metadata.notice).toContain('Runs 1 and 2 ');
    give(weigh([0.82, 0.81]));
    expect(runs()).toEqual([
      ['0.100', 'Check'],
      ['0.960', ''],
      ['0.820', ''],
      ['0.810', ''],
    ]);
    expect(session.step).toMatchObject({ title: 'Run 5 of 10' });
    expect(give([{ action: 'repeat_run', run: 1 }])).toBe('test_run');
    expect(session.step).toMatchObject({ title: 'Run 4 of 10', body: expect.stringContaining('for 8.00 s') });
    expect(session.step.metadata.notice).toBeUndefined();
    give(weigh([0.79]));
    expect(give([{ action: 'drop_run', run: 1 }])).toBe('test_run');
    expect(session.step).toMatchObject({ title: 'Run 4 of 9' });
    expect(give(weigh([0.95, 0.95, 1.1, 1.1, 1.1, 1.1]))).toBe('complete');
    expect(session.files[0]?.content.recorded_data).toMatchObject({
      y: [0.82, 0.81, 0.79, 0.95, 0.95, 1.1, 1.1, 1.1, 1.1],
    });
    expect(session.data.results).toHaveLength(9);
  });

  it('are checked by a person when the last of them is implausible, with the line through them', () => {
    const { session, begin, weigh, runs, give } = pumpSession();
    expect(give([...begin, ...weigh([0.8, 0.8, 0.8, 0.8, 0.95, 0.95, 1.1, 1.1, 1.1, 9.9])])).toBe('review');
    expect(runs()?.at(-1)).toEqual(['9.90', 'Check']);
    expect(session.step.metadata.chart?.series).toMatchObject([
      { id: 'runs', line: [{ x: 8 }, { x: 11 }] },
      { id: 'implausible', points: [{ y: 9.9 }] },
    ]);
    expect(() => session.gives()).toThrow('leave them out');
    expect(() => session.gives({ action: 'drop_run', run: 11 })).toThrow(InvalidInput);
    expect(() => session.gives({ action: 'drop_run' })).toThrow(InvalidInput);
    expect(session.gives({ action: 'drop_run', run: 10 })).toBe('review');
    expect(session.step.metadata.notice).toBeUndefined();
    for (let left = 9; left > 5; left -= 1) session.gives({ action: 'drop_run', run: 1 });
    expect(() => session.gives({ action: 'drop_run', run: 1 })).toThrow('at least 5 runs');
    expect(session.gives()).toBe('complete');
    expect(session.data).toMatchObject({ min_duration: 9.5, max_duration: 11 });
  });
});

describe('the trim of the temperature', () => {
  const facts = { ...factsOfUnit, runningJobs: ['temperature_automation'] };
  const session = (estimates: number[], duty = 37) =>
    new PlainSession('temperature', 'probe_trim', facts, () => ({
      kind: 'temperature',
      estimatedC: estimates.shift() ?? Number.NaN,
      boardC: 38.4,
      duty,
    }));

  it('refuses a comparison without heat, which says nothing of the vial', () => {
    const trim = session([22], 1);
    trim.gives();
    trim.gives({ calibration_name: 'probe' });
    expect(() => trim.gives({ probe_c: 22 })).toThrow(InvalidInput);
    expect(trim.step.step_id).toBe('compare');
  });

  it('is what a probe shows more than the unit estimates, over all comparisons', () => {
    const trim = session([36.1, 29.3]);
    expect(trim.gives()).toBe('name');
    expect(trim.gives({ calibration_name: 'probe' })).toBe('compare');
    expect(trim.gives({ probe_c: 37 })).toBe('more');
    expect(trim.step.body).toContain('0.9 °C more than the estimate, over 1 point.');
    expect(trim.gives({ another: 'yes' })).toBe('compare');
    expect(trim.gives({ probe_c: 30 })).toBe('more');
    expect(trim.step.metadata.table?.rows).toEqual([
      [1, 36.1, 37, 0.9],
      [2, 29.3, 30, 0.7],
    ]);
    expect(trim.gives({ another: 'no' })).toBe('complete');
    expect(trim.files).toEqual([
      {
        kind: 'calibration',
        device: 'temperature',
        content: expect.objectContaining({
          calibration_type: 'temperature',
          calibration_name: 'probe',
          curve_data_: { type: 'poly', coefficients: [1, 0.8] },
          x: 'Estimated',
          y: 'Probe',
          recorded_data: { x: [36.1, 29.3], y: [37, 30] },
          heater_duty: [37, 37],
          board_temperature: [38.4, 38.4],
        }),
      },
    ]);
    expect(trim.result).toMatchObject({ offset_c: 0.8, points: 2, farthest_point_c: 0.1 });
  });

  it('leaves a comparison out', () => {
    const trim = session([36.1, 29.3]);
    for (const inputs of [{}, { calibration_name: 'probe' }, { probe_c: 37 }, { another: true }, { probe_c: 39 }])
      trim.gives(inputs);
    expect(() => trim.gives({ action: 'drop_comparison', comparison: 3 })).toThrow(InvalidInput);
    expect(trim.gives({ action: 'drop_comparison', comparison: 2 })).toBe('more');
    expect(trim.step.metadata.table?.rows).toEqual([[1, 36.1, 37, 0.9]]);
    expect(trim.gives({ action: 'drop_comparison', comparison: 1 })).toBe('compare');
  });

  it('takes no probe that cannot be in the liquid, and needs the automation to run', () => {
    const trim = session([36]);
    trim.gives();
    trim.gives({ calibration_name: 'probe' });
    expect(() => trim.gives({ probe_c: 98.6 })).toThrow(InvalidInput);
    expect(protocolFor('temperature', 'probe_trim', facts)?.refusal('temperature', facts)).toBeUndefined();
    expect(protocolFor('temperature', 'probe_trim', facts)?.refusal('temperature', factsOfUnit)).toContain(
      'not running',
    );
  });
});
