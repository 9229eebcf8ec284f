import type { EstimatorContent, Json } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { fuse } from '../estimators/od-fusion.ts';
import {
  type ActionResult,
  type Advance,
  fieldOf,
  InputInvalid,
  type ProtocolAction,
  type ProtocolFacts,
  type SessionArtefact,
} from './protocol.ts';
import { offeredProtocols, protocolFor } from './protocols.ts';
import { testDurations } from './pump-protocol.ts';
import { SessionData } from './session-data.ts';
import { StepInputs } from './step-inputs.ts';

const factsOfUnit: ProtocolFacts = {
  unit: 'unit1',
  nowMs: Date.UTC(2026, 10, 21, 4, 24),
  runningJobs: ['monitor'],
  pumpChannel: () => '2',
  pumpHz: 250,
  longestPumpRunS: 133,
  photodiodes: [
    { channel: '1', angle: 'REF' },
    { channel: '2', angle: '90' },
  ],
  irLedIntensity: 80,
  initialRpm: 500,
  initialDuty: 30,
  stirrerHz: 200,
  model: 'reactor_40ml',
  calibrationExists: () => false,
  estimatorExists: () => false,
  fusedEstimators: [],
};

const xrFacts: ProtocolFacts = {
  ...factsOfUnit,
  model: 'reactor_40ml_XR',
  photodiodes: [
    { channel: '1', angle: 'REF' },
    { channel: '2', angle: '90' },
    { channel: '3', angle: '135' },
    { channel: '4', angle: '45' },
  ],
};

/** Light of a culture at the three angles, by channel. */
const lightOf = (od: number) => ({
  '2': (0.07 * od) / (1 + (od / 6) ** 2),
  '3': (1.2 * od) / (1 + (od / 1.5) ** 2.2),
  '4': 0.03 + 0.02 * od,
});

const scaled = (values: Readonly<Record<string, number>>, factor: number) =>
  Object.fromEntries(Object.entries(values).map(([channel, value]) => [channel, factor * value]));

const signalsAt = (od: number) => ({ '90': lightOf(od)['2'], '135': lightOf(od)['3'], '45': lightOf(od)['4'] });

/** A session in memory, whose hardware is a function. */
class PlainSession {
  readonly #device: string;
  readonly #name: string;
  readonly #facts: ProtocolFacts;
  readonly #work: (action: ProtocolAction) => ActionResult;
  stepId: string;
  data: Record<string, Json>;
  artefacts: readonly SessionArtefact[] = [];
  result: Readonly<Record<string, Json>> | undefined;

  constructor(device: string, name: string, facts: ProtocolFacts, work: (action: ProtocolAction) => ActionResult) {
    this.#device = device;
    this.#name = name;
    this.#facts = facts;
    this.#work = work;
    const { stepId, data } = this.#protocol.begin(device, facts);
    this.stepId = stepId;
    this.data = { ...data };
  }

  get #protocol() {
    const protocol = protocolFor(this.#device, this.#name, this.#facts);
    if (protocol === undefined) throw new Error('There is no such protocol.');
    return protocol;
  }

  get #state() {
    return { device: this.#device, stepId: this.stepId, data: new SessionData(this.data) };
  }

  get step() {
    return this.#protocol.step(this.#state, this.#facts);
  }

  gives(values: Readonly<Record<string, unknown>> = {}): string {
    const inputs = new StepInputs(this.step.fields, values);
    let next: Advance = this.#protocol.advance(this.#state, inputs, this.#facts);
    while (next.kind === 'act') next = next.proceed(this.#work(next.action));
    // As a session is kept on disk.
    this.data = JSON.parse(JSON.stringify({ ...this.data, ...next.data }));
    if (next.kind === 'step') {
      this.stepId = next.stepId;
      return this.stepId;
    }
    this.artefacts = next.artefacts;
    this.result = next.result(next.artefacts.map(({ device }) => ({ device, name: 'stored', path: 'p' })));
    return 'complete';
  }
}

const noHardware = (): ActionResult => {
  throw new Error('Nothing may run here.');
};

const estimator: EstimatorContent = {
  estimator_type: 'od_fused_estimator',
  estimator_name: 'est1',
  calibrated_on_reactor_unit: 'unit2',
  created_at: '2026-01-01T00:00:00.000Z',
  ir_led_intensity: 80,
  ...modelOfLight(),
  recorded_data: {},
  y: 'log(Voltage)',
};

describe('the protocols of a unit', () => {
  it('are those of its devices', () => {
    expect(offeredProtocols(factsOfUnit).map(({ id }) => id)).toEqual([
      'alt_media_pump_duration_based',
      'media_pump_duration_based',
      'od90_standards',
      'stirring_dc_based',
      'temperature_probe_trim',
      'waste_pump_duration_based',
    ]);
    expect(offeredProtocols(xrFacts).map(({ id }) => id)).toEqual([
      'alt_media_pump_duration_based',
      'media_pump_duration_based',
      'od_standards',
      'od135_standards',
      'od45_standards',
      'od90_standards',
      'od_fused_od_fusion_standards',
      'od_fused_od_fusion_offset',
      'stirring_dc_based',
      'temperature_probe_trim',
      'waste_pump_duration_based',
    ]);
    expect(offeredProtocols(factsOfUnit)[0]).toMatchObject({ description: expect.stringContaining('alt media pump') });
  });

  it.each([
    ['media_pump', 'duration_based', { pumpChannel: () => undefined }, '[PWM]'],
    ['stirring', 'dc_based', { runningJobs: ['stirring'] }, 'stop it first'],
    ['od90', 'standards', { irLedIntensity: 'auto' as const }, 'automatic'],
    ['od90', 'standards', { runningJobs: ['od_reading', 'stirring'] }, 'od_reading and stirring are running'],
    ['od90', 'standards', { photodiodes: [{ channel: '2', angle: '90' as const }] }, 'reference'],
    ['od_fused', 'od_fusion_offset', { fusedEstimators: [] }, 'No estimator'],
  ])('of %s (%s) are refused where they cannot be run (%#)', (device, name, changes, cause) => {
    const facts = { ...xrFacts, ...changes };
    expect(protocolFor(device, name, facts)?.refusal(device, facts)).toContain(cause);
    expect(protocolFor(device, name, xrFacts)?.refusal(device, { ...xrFacts, fusedEstimators: [estimator] })).toBe(
      undefined,
    );
  });
});

/** An estimator that a session has made. */
function modelOfLight() {
  const made = fusedBy(1);
  const { angles, mu_splines, sigma_splines_log, min_logc, max_logc, sigma_floor, low_conc_scales } = made;
  return { angles, mu_splines, sigma_splines_log, min_logc, max_logc, sigma_floor, low_conc_scales };
}

/** Goes through the fusion protocol with vials of known density, seen `times` as dense. */
function fusedBy(times: number): EstimatorContent {
  let placed = 0;
  const speeds: number[] = [];
  const session = new PlainSession('od_fused', 'od_fusion_standards', xrFacts, (action) => {
    if (action.kind !== 'od') return noHardware();
    speeds.push(...action.readings.speeds);
    return { kind: 'od', readings: [0.98, 1, 1.02, 1].map((factor) => scaled(lightOf(times * placed), factor)) };
  });
  session.gives();
  session.gives({ estimator_name: 'mine' });
  expect(session.gives({ rpm: 500 })).toBe('place_standard');
  for (const od of [0.1, 0.3, 1, 3, 10]) {
    placed = od;
    session.gives();
    session.gives({ od_value: od });
    expect(session.gives()).toBe('remove_observation');
    session.gives();
    if (od === 1) expect(() => session.gives({ another: 'no' })).toThrow(InputInvalid);
    if (od < 10) session.gives({ another: true });
  }
  expect(session.gives({ another: false })).toBe('complete');
  expect(speeds.slice(0, 4)).toEqual([0.9, 1.1, 0.8, 1.2]);
  const [artefact] = session.artefacts;
  if (artefact?.kind !== 'estimator') throw new Error('There is no estimator.');
  expect(session.result).toMatchObject({ device: 'od_fused', estimator_name: 'stored', path: 'p' });
  return artefact.content;
}

describe('fused optical density', () => {
  it('is fitted to what a person places', () => {
    const made = fusedBy(1);
    expect(made).toMatchObject({ estimator_name: 'mine', angles: ['45', '90', '135'], ir_led_intensity: 80 });
    for (const od of [0.2, 1, 2, 8]) expect(fuse(made, signalsAt(od))?.concentration).toBeCloseTo(od, od > 4 ? 0 : 1);
  });

  it('is taken over from another unit by two vials', () => {
    let placed = 0;
    const facts = { ...xrFacts, fusedEstimators: [estimator] };
    const session = new PlainSession('od_fused', 'od_fusion_offset', facts, () => ({
      kind: 'od',
      readings: [1, 1, 1, 1].map(() => lightOf(2 * placed)),
    }));
    session.gives();
    expect(session.step.fields[0]?.options).toEqual(['unit2']);
    expect(() => session.gives({ source_unit: 'unit9' })).toThrow('source_unit');
    session.gives({ source_unit: 'unit2' });
    session.gives({});
    session.gives({ estimator_name: 'shifted' });
    session.gives({ rpm: 500 });
    for (const od of [0.2, 2]) {
      placed = od;
      session.gives();
      session.gives({ standard_od: od });
      session.gives();
      if (od === 0.2) expect(session.gives()).toBe('place_standard');
    }
    expect(session.gives()).toBe('complete');
    expect(session.result).toMatchObject({
      source_unit: 'unit2',
      source_estimator: 'est1',
      scale_logc: expect.closeTo(1, 1),
    });
    const [artefact] = session.artefacts;
    if (artefact?.kind !== 'estimator') throw new Error('There is no estimator.');
    expect(fuse(artefact.content, signalsAt(2))?.concentration).toBeCloseTo(1, 1);
  });
});

describe('standards of several angles', () => {
  it('make one calibration of each', () => {
    let placed = 0;
    const session = new PlainSession('od', 'standards', xrFacts, () => ({
      kind: 'od',
      readings: [0.99, 1, 1.01].map((factor) => scaled(lightOf(placed), factor)),
    }));
    session.gives();
    expect(session.gives({})).toBe('channel_confirm');
    session.gives();
    expect(() => session.gives({})).toThrow('rpm: It is missing.');
    session.gives({ rpm: '500' });
    for (const od of [1, 0.5]) {
      placed = od;
      session.gives();
      session.gives({ od600_value: od });
      session.gives({ next_action: od === 1 ? 'another standard' : 'go on to the blank' });
    }
    placed = 0;
    session.gives();
    expect(session.gives({ od600_blank: 0 })).toBe('complete');
    expect(session.artefacts.map(({ device }) => device)).toEqual(['od90', 'od135', 'od45']);
    expect(session.artefacts[0]?.content).toMatchObject({
      calibration_name: 'od-cal-2026-11-21',
      angle: '90',
      pd_channel: '2',
      recorded_data: { x: [1, 0.5, 0] },
    });
  });
});

describe('the stirrer', () => {
  it('is fitted to the points where it turned', () => {
    const points = [20, 25, 30, 35, 40, 30].map((duty) => ({ duty, rpm: duty === 20 ? 0 : 21 * (duty - 6) }));
    const session = new PlainSession('stirring', 'dc_based', factsOfUnit, (action) => {
      expect(action).toEqual({ kind: 'stirring', lowestDuty: 0.66 * 30, highestDuty: 1.33 * 30 });
      return { kind: 'stirring', points, supplyV: 5 };
    });
    session.gives();
    expect(session.gives()).toBe('complete');
    expect(session.artefacts[0]?.content).toMatchObject({
      calibration_name: 'stirring-calibration-2026-11-21_04-24',
      recorded_data: { x: [25, 30, 35, 40, 30] },
    });
  });

  it('that never turned is no calibration', () => {
    const session = new PlainSession('stirring', 'dc_based', factsOfUnit, () => ({
      kind: 'stirring',
      points: [{ duty: 20, rpm: 0 }],
      supplyV: 5,
    }));
    session.gives();
    expect(() => session.gives()).toThrow(InputInvalid);
    expect(session.stepId).toBe('run_calibration');
  });
});

describe('a pump', () => {
  it('runs for times around the volumes that are wanted', () => {
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

it('lets a pump run again when what was weighed is wrong', () => {
  const session = new PlainSession('media_pump', 'duration_based', factsOfUnit, ({ kind }) =>
    kind === 'supply' ? { kind, supplyV: 12 } : { kind: 'pump' },
  );
  const begin = [{}, {}, {}, {}, {}, { hz: 250, dc: 100 }, {}, { prime_duration_s: 5 }, {}, { volume_ml: 0.1 }];
  const volumes = [0.8, 0.8, 0.8, 0.8, 0.95, 0.95, 1.1, 1.1, 9.9].flatMap((volume_ml) => [{}, { volume_ml }]);
  for (const inputs of [...begin, ...volumes, {}]) session.gives(inputs);
  expect(() => session.gives({ volume_ml: 1.1 })).toThrow('Do the last runs again');
  const redo = { action: 'redo_last' };
  expect(session.step.metadata.actions).toMatchObject([{ inputs: redo }]);
  expect([redo, redo, { volume_ml: 1.1 }, {}, { volume_ml: 1.1 }].map((one) => session.gives(one))[4]).toBe('complete');
});

describe('inputs of a step', () => {
  const fields = [
    fieldOf({
      name: 'f',
      label: 'f',
      field_type: 'float',
      minimum: 0,
      max_error_msg: 'Too much.',
      maximum: 10,
      default: 1,
    }),
    fieldOf({ name: 'i', label: 'i', field_type: 'int' }),
    fieldOf({ name: 't', label: 't', field_type: 'string', default: 'usual' }),
    fieldOf({ name: 'b', label: 'b', field_type: 'bool', default: false }),
    fieldOf({ name: 'c', label: 'c', field_type: 'choice', options: ['x', 'y'], default: 'x' }),
    fieldOf({ name: 'l', label: 'l', field_type: 'float_list', default: [1] }),
  ];
  const read = (values: Readonly<Record<string, unknown>>) => new StepInputs(fields, values);

  it('are understood as people write them', () => {
    const inputs = read({ f: ' 2.5 ', i: 3.9, t: ' a ', b: 'Yes', c: ' y ', l: '1, 2.5' });
    expect([inputs.number('f'), inputs.number('i'), inputs.text('t')]).toEqual([2.5, 3, 'a']);
    expect([inputs.boolean('b'), inputs.choice('c'), inputs.numbers('l')]).toEqual([true, 'y', [1, 2.5]]);
    expect([read({ b: 0 }).boolean('b'), read({ b: 1 }).boolean('b'), read({ b: 'n' }).boolean('b')]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('fall back to what is usual, but for measured values', () => {
    const none = read({ f: '', t: null });
    expect([none.text('t'), none.boolean('b'), none.choice('c'), none.numbers('l')]).toEqual([
      'usual',
      false,
      'x',
      [1],
    ]);
    expect(() => none.number('f')).toThrow('f: It is missing.');
  });

  it.each([
    [{ f: -1 }, 'f: It must be at least 0.'],
    [{ f: 11 }, 'Too much.'],
  ])('beyond their bounds are refused at once (%#)', (values, message) => {
    expect(() => read(values)).toThrow(message);
  });

  it('that are nothing of their kind are refused', () => {
    const bad = read({ f: 'nan', i: true, t: 5, b: 'perhaps', c: 'z', l: ['1', 'x'] });
    for (const take of [
      () => bad.number('f'),
      () => bad.number('i'),
      () => bad.text('t'),
      () => bad.boolean('b'),
      () => bad.choice('c'),
      () => bad.numbers('l'),
      () => read({ l: [] }).numbers('l'),
    ])
      expect(take).toThrow(InputInvalid);
  });
});

describe('the trim of the temperature', () => {
  const facts = { ...factsOfUnit, runningJobs: ['temperature_automation'] };
  const session = (estimates: number[]) =>
    new PlainSession('temperature', 'probe_trim', facts, () => ({
      kind: 'temperature',
      estimatedC: estimates.shift() ?? Number.NaN,
    }));

  it('is what a probe shows more than the unit estimates, over all comparisons', () => {
    const trim = session([36.1, 29.3]);
    expect(trim.gives()).toBe('name');
    expect(trim.gives({ calibration_name: 'probe' })).toBe('compare');
    expect(trim.gives({ probe_c: 37 })).toBe('more');
    expect(trim.step.body).toContain('0.9 ℃ more than the estimate, over 1 point.');
    expect(trim.gives({ another: 'yes' })).toBe('compare');
    expect(trim.gives({ probe_c: 30 })).toBe('more');
    expect(trim.gives({ another: 'no' })).toBe('complete');
    expect(trim.artefacts).toEqual([
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
        }),
      },
    ]);
    expect(trim.result).toMatchObject({ offset_c: 0.8, points: 2, farthest_point_c: 0.1 });
  });

  it('takes no probe that cannot be in the liquid, and needs the automation to run', () => {
    const trim = session([36]);
    trim.gives();
    trim.gives({ calibration_name: 'probe' });
    expect(() => trim.gives({ probe_c: 98.6 })).toThrow(InputInvalid);
    expect(protocolFor('temperature', 'probe_trim', facts)?.refusal('temperature', facts)).toBeUndefined();
    expect(protocolFor('temperature', 'probe_trim', facts)?.refusal('temperature', factsOfUnit)).toContain(
      'not running',
    );
  });
});
