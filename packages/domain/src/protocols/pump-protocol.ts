import type { SessionStep, StepChart } from '@lcs/contract';
import { type PumpDevice, pumpDevices } from '../calibrations/calibration-file.ts';
import { curveAt } from '../curves/curve.ts';
import { fitThroughOrigin } from '../curves/fit-polynomial.ts';
import { fitPumpLine, type PumpRunPoint } from '../curves/fit-pump-line.ts';
import { liquidJobs } from './experiment-effect.ts';
import { askName, confirmName, type NameSteps, takeConfirmation, takeName } from './name-steps.ts';
import {
  type Advance,
  conflictingJobs,
  dayOf,
  fieldOf,
  goTo,
  InvalidInput,
  type Protocol,
  type ProtocolFacts,
  type ProtocolState,
  performAction,
  stepOf,
  withBlanks,
} from './protocol.ts';
import { implausibleRuns, leastRuns, noticeOf, runsChart, runsTable } from './pump-runs.ts';
import { SessionData } from './session-data.ts';
import type { StepInputs } from './step-inputs.ts';

const trialRunS = 1;
const defaultHz = 250;
const defaultDuty = 100;
const mostVolumes = 100;

/** Runs of the shortest, the middle and the longest duration. */
const planned = { short: 4, middle: 2, long: 4 } as const;

/** Margins, so that the shortest run moves less than the smallest volume and the longest more than the largest. */
const lowMargin = 0.8;
const highMargin = 1.1;

/** ml/s: maximum standard error of the slope of a calibration. */
const mostDeviation = 0.04;
/** Minimum R². Runs that differ by two percent between 0.8 and 1.1 of one volume have about 0.97. */
const leastRSquared = 0.9;

const pumpOf = (device: string): PumpDevice => {
  const pump = pumpDevices.find((known) => known === device);
  if (pump === undefined) throw new Error(`${device} must be a pump.`);
  return pump;
};

const nameSteps = (device: string, facts: ProtocolFacts): NameSteps => ({
  askStep: 'name_input',
  confirmStep: 'name_overwrite_confirm',
  next: 'volume_targets',
  field: 'calibration_name',
  defaultName: `${device}-${dayOf(facts.nowMs)}`,
  isTaken: (name) => facts.calibrationExists(device, name),
});

const volumeField = (label: string) =>
  fieldOf({
    name: 'volume_ml',
    label,
    field_type: 'float',
    minimum: 0.0001,
    help_text: 'Weigh it: 1 g of water is 1 mL.',
  });

/** Seconds of each test run, for a range of volumes (ml) and the volume of the first second (ml). */
export function testDurations(volumesMl: readonly number[], trialMl: number): readonly number[] {
  const perMl = trialRunS / trialMl;
  const shortest = lowMargin * Math.min(...volumesMl) * perMl;
  const longest = highMargin * Math.max(...volumesMl) * perMl;
  return [
    ...Array.from({ length: planned.short }, () => shortest),
    ...Array.from({ length: planned.middle }, () => (shortest + longest) / 2),
    ...Array.from({ length: planned.long }, () => longest),
  ];
}

/** A scale that shows hundredths of a gram weighs this much within 1 %. */
const leastWeighedMl = 0.5;
const mostPulses = 20;

/** Pulses of a run that are weighed together: several where one alone is too light for the scale. */
export const pulsesOf = (seconds: number, trialMl: number): number =>
  Math.min(mostPulses, Math.max(1, Math.ceil((leastWeighedMl * trialRunS) / (seconds * trialMl) - 1e-9)));

const pulsesIn = (data: SessionData, seconds: number): number => pulsesOf(seconds, data.number('tracer_volume_ml'));

const measured = (data: SessionData): readonly number[] => data.numbers('results');

/** The weighed runs, in the order of the session. */
const runsOf = (data: SessionData): readonly PumpRunPoint[] =>
  measured(data).map((y, index) => {
    const x = data.numbers('durations')[index] ?? 0;
    return { x, y, pulses: pulsesIn(data, x) };
  });

const runsChartOf = (data: SessionData, device: string): StepChart => {
  const runs = runsOf(data);
  return runsChart(titleOfRuns(device), runs, implausibleRuns(runs, data.number('tracer_volume_ml')));
};

const titleOfRuns = (device: string): string => `Calibration of the ${withBlanks(device)}`;

/** Scatter and line of the runs so far, what is wrong with them, and what can be done with each. */
function shownRuns(data: SessionData, device: string): SessionStep['metadata'] {
  const runs = runsOf(data);
  const implausible = implausibleRuns(runs, data.number('tracer_volume_ml'));
  const notice = noticeOf(implausible);
  return {
    ...(notice !== undefined && { notice }),
    chart: runsChart(titleOfRuns(device), runs, implausible),
    ...(runs.length > 0 && { table: runsTable(runs, implausible) }),
  };
}

const emptyVessel = 'Empty the vessel, dry it, put it under the outlet and tare the scale.';
/** Of the button that starts a run. */
const startLabel = { primary_action_label: 'Start the pump' };

const texts = (device: string): Readonly<Record<string, Pick<SessionStep, 'title' | 'body'>>> => ({
  intro_confirm_1: {
    title: 'What will be done',
    body: `The ${withBlanks(device)} pumps water for different times. You weigh the water and enter the weight. It takes about fifteen minutes.`,
  },
  intro_confirm_2: {
    title: 'Safety',
    body: 'Keep water away from the electronics. Take the vial out of the unit: the pump must not fill it.',
  },
  intro_confirm_3: {
    title: 'What you need',
    body: 'A vessel with water, an empty vessel, and a scale that shows hundredths of a gram.',
  },
  tracer_run: { title: 'Test run', body: `${emptyVessel} The pump then runs for ${trialRunS} s.` },
});

const forms: Readonly<Record<string, Pick<SessionStep, 'title' | 'body' | 'fields'>>> = {
  volume_targets: {
    title: 'Volumes',
    body: 'Which volumes will you dose? Enter the smallest and the largest dose, for example 0.5, 1: automations exchange 0.5 mL unless told otherwise. The calibration holds between these volumes, because each start loses some microlitres.',
    fields: [
      fieldOf({
        name: 'mls_to_calibrate_for',
        label: 'Volumes you will dose, mL',
        field_type: 'float_list',
        default: [1],
      }),
    ],
  },
  pwm_settings: {
    title: 'Drive signal',
    body: 'How the pump is driven, now and later when it doses.',
    fields: [
      fieldOf({
        name: 'hz',
        label: 'Drive frequency, Hz',
        field_type: 'float',
        default: defaultHz,
        minimum: 0.1,
        maximum: 10000,
      }),
      fieldOf({ name: 'dc', label: 'Duty, %', field_type: 'float', default: defaultDuty, minimum: 0, maximum: 100 }),
    ],
  },
  prime_pump_duration: {
    title: 'Fill the tubes',
    body: 'The pump runs until the tubes are full of water and free of bubbles. Be ready: it starts at once.',
    fields: [fieldOf({ name: 'prime_duration_s', label: 'Duration, s', field_type: 'float', default: 15, minimum: 5 })],
  },
  tracer_volume: {
    title: 'Test run',
    body: `How much came out in ${trialRunS} s?`,
    fields: [volumeField('Volume, mL')],
  },
};

function testRun(data: SessionData, device: string): SessionStep {
  const done = measured(data).length;
  const durations = data.numbers('durations');
  const durationS = durations[done] ?? 0;
  const seconds = durationS.toFixed(2);
  const pulses = pulsesIn(data, durationS);
  return stepOf('test_run', 'action', {
    title: `Run ${done + 1} of ${durations.length}`,
    body: `${emptyVessel} The pump then runs ${timesText(pulses)}for ${seconds} s.`,
    metadata: { ...shownRuns(data, device), ...startLabel, ...(done > 0 ? { actions: [repeatLast] } : {}) },
  });
}

/**
 * The button takes the last weight back and asks for an empty vessel first. Programs that send `redo_last` alone get the run at once
 * (fact sheet unit-api.md, 11.6).
 */
const repeatLast = { label: 'Repeat the last run', inputs: { action: 'redo_last', run_at_once: false } };

/** All runs are weighed, and they give no good line, or one of them is implausible. */
function reviewStep(data: SessionData, device: string): SessionStep {
  const shown = shownRuns(data, device);
  const problem = problemOf(data) ?? 'All runs are weighed.';
  return stepOf('review', 'action', {
    title: 'Check the runs',
    body: `${problem} Repeat wrong runs or leave them out. When you continue, the pump is calibrated with the runs below.`,
    metadata: shown,
  });
}

const timesText = (pulses: number): string => (pulses === 1 ? '' : `${pulses} times `);

function testVolume(data: SessionData, device: string): SessionStep {
  const done = measured(data).length;
  const durations = data.numbers('durations');
  const durationS = durations[done] ?? 0;
  const pulses = pulsesIn(data, durationS);
  const together = pulses === 1 ? '' : ' together';
  return stepOf('test_volume', 'form', {
    title: `Run ${done + 1} of ${durations.length}`,
    body: `How much came out ${timesText(pulses)}in ${durationS.toFixed(2)} s${together}?`,
    fields: [volumeField('Volume, mL')],
    metadata: {
      chart: runsChartOf(data, device),
      actions: [{ label: 'Repeat this run', inputs: { action: 'redo_last' } }],
    },
  });
}

function step({ device, stepId, data }: ProtocolState, facts: ProtocolFacts): SessionStep {
  const names = nameSteps(device, facts);
  if (stepId === names.askStep) return askName(names);
  if (stepId === names.confirmStep) return confirmName(names, data.text(names.field));
  if (stepId === 'test_run') return testRun(data, device);
  if (stepId === 'test_volume') return testVolume(data, device);
  if (stepId === 'review') return reviewStep(data, device);
  if (stepId === 'tubing_into_water') return placeTubes(device, facts);
  const metadata = stepId === 'prime_pump_duration' || stepId === 'tracer_run' ? startLabel : {};
  const form = forms[stepId];
  if (form !== undefined) return stepOf(stepId, 'form', { ...form, metadata });
  const text = texts(device)[stepId];
  if (text === undefined) throw new Error(`The protocol has no step ${stepId}.`);
  return stepOf(stepId, stepId === 'tracer_run' ? 'action' : 'info', { ...text, metadata });
}

const bottleField = fieldOf({
  name: 'draws_from_bottle',
  label: 'The inlet stays in the bottle of the experiment',
  field_type: 'bool',
  required: false,
  default: false,
  help_text: 'Then the runs are subtracted from the level of the bottle. Otherwise put the inlet into the water.',
});

/** In an experiment a person may leave the inlet in the bottle: its level must be right afterwards. */
const placeTubes = (device: string, { experiment }: ProtocolFacts): SessionStep =>
  stepOf('tubing_into_water', 'info', {
    title: 'Place the tubes',
    body: 'Put the inlet of the pump into the water and its outlet over the empty vessel. In the next step, enter how long the tubes are filled.',
    fields: experiment === undefined || pumpOf(device) === 'waste_pump' ? [] : [bottleField],
  });

const takeTubes = (device: string, inputs: StepInputs, facts: ProtocolFacts): Advance =>
  placeTubes(device, facts).fields.length === 0
    ? goTo('prime_pump_duration')
    : goTo('prime_pump_duration', { draws_from_bottle: inputs.boolean('draws_from_bottle') });

/** Why no run may begin now: another job may move liquid at the same time, through tubes that are out of their places. */
const liquidConflict = (facts: ProtocolFacts): string | undefined => conflictingJobs(liquidJobs(facts), facts);

interface Run {
  /** Name of the run in error messages. */
  readonly label: string;
  readonly purpose: string;
  readonly seconds: number;
  readonly pulses?: number;
}

/** @throws InvalidInput while another job may move liquid: it may have been started since the session began */
function run(
  { device, data }: ProtocolState,
  { label, purpose, seconds, pulses = 1 }: Run,
  facts: ProtocolFacts,
  after: () => Advance,
): Advance {
  const conflict = liquidConflict(facts);
  if (conflict !== undefined) throw new InvalidInput(conflict);
  const isFromBottle = data.values.draws_from_bottle === true;
  const timing = { seconds, pulses, duty: data.number('dc') };
  return performAction(label, { kind: 'pump', device: pumpOf(device), ...timing, purpose, isFromBottle }, after);
}

function takeDrive(inputs: StepInputs, { pumpHz }: ProtocolFacts): Advance {
  const [hz, dc] = [inputs.number('hz'), inputs.number('dc')];
  if (hz !== pumpHz) throw new InvalidInput(`The board of this unit drives its pumps at ${pumpHz} Hz.`, 'hz');
  if (dc === 0) throw new InvalidInput('At 0 % no pump turns.', 'dc');
  return goTo('tubing_into_water', { hz, dc });
}

function takeTargets(inputs: StepInputs): Advance {
  const mls = inputs.numbers('mls_to_calibrate_for');
  if (mls.length > mostVolumes)
    throw new InvalidInput(`They must be ${mostVolumes} volumes at most.`, 'mls_to_calibrate_for');
  if (mls.some((ml) => ml <= 0)) throw new InvalidInput('Every volume must be above 0.', 'mls_to_calibrate_for');
  return goTo('pwm_settings', { mls_to_calibrate_for: [...mls] });
}

function takeTrialVolume({ data }: ProtocolState, inputs: StepInputs, { longestPumpRunS }: ProtocolFacts): Advance {
  const trialMl = inputs.number('volume_ml');
  const durations = testDurations(data.numbers('mls_to_calibrate_for'), trialMl);
  const longest = Math.max(...durations);
  if (longest > longestPumpRunS) {
    const wants = `the longest run would take ${Math.ceil(longest)} s, and a pump may run for ${longestPumpRunS} s`;
    throw new InvalidInput(
      `With so little in a second ${wants}. Check the tubes, or start with less volume.`,
      'volume_ml',
    );
  }
  const bounds = { min_duration: Math.min(...durations), max_duration: longest };
  return goTo('test_run', { tracer_volume_ml: trialMl, durations: [...durations], results: [], ...bounds });
}

function finish({ device, data }: ProtocolState, supplyV: number, facts: ProtocolFacts) {
  const runs = runsOf(data);
  const line = fitThroughOrigin(runs);
  const problem = problemOf(data);
  if (line === undefined || problem !== undefined)
    throw new InvalidInput(`${problem ?? noLine} Repeat wrong runs or leave them out.`);
  const { slope, startLossMl } = fitPumpLine(runs) ?? { slope: line.slope, startLossMl: 0 };
  const bias = startLossMl === 0 ? 0 : -startLossMl;
  const curve = { type: 'poly' as const, coefficients: [slope, bias] };
  const content = {
    calibration_type: 'simple_peristaltic_pump' as const,
    calibration_name: data.text('calibration_name'),
    calibrated_on_reactor_unit: facts.unit,
    created_at: new Date(facts.nowMs).toISOString(),
    curve_data_: curve,
    x: 'Duration',
    y: 'Volume',
    recorded_data: { x: runs.map(({ x }) => x), y: runs.map(({ y }) => y) },
    hz: data.number('hz'),
    dc: data.number('dc'),
    voltage: supplyV,
  };
  const stats = { slope, bias, std_slope: line.standardError, std_bias: 0, r_squared: line.rSquared };
  const range = [data.number('min_duration'), data.number('max_duration')].map((seconds) => curveAt(curve, seconds));
  return {
    kind: 'finish',
    data: { durations: [...data.numbers('durations')], results: [...measured(data)] },
    files: [{ kind: 'calibration', device, content }],
    result: ([link]) => ({
      calibration: { device, ...content },
      calibration_link: { device, calibration_name: content.calibration_name, path: link?.path ?? '' },
      stats,
      recommended_volume_range_ml: range,
    }),
  } satisfies Advance;
}

const noLine = 'The runs must give a line.';

/** Why the runs give no calibration; undefined: they do. */
function problemOf(data: SessionData): string | undefined {
  const line = fitThroughOrigin(runsOf(data));
  if (line === undefined) return noLine;
  const { standardError, rSquared } = line;
  if (standardError > mostDeviation)
    return `The runs scatter too much (standard error ${standardError.toFixed(3)} mL/s).`;
  if (rSquared < leastRSquared) return 'The volumes must increase in proportion to the time.';
  return undefined;
}

const save = (state: ProtocolState, facts: ProtocolFacts): Advance =>
  performAction('Reading the supply', { kind: 'supply' }, ({ supplyV }) => finish(state, supplyV, facts));

/** The next run; or, when all are weighed, the calibration, unless a person must look at the runs first. */
function afterRuns(state: ProtocolState, changed: Readonly<Record<string, number[]>>, facts: ProtocolFacts): Advance {
  const data = new SessionData({ ...state.data.values, ...changed });
  const runs = runsOf(data);
  if (runs.length < data.numbers('durations').length) return goTo('test_run', changed);
  const isGood = problemOf(data) === undefined && implausibleRuns(runs, data.number('tracer_volume_ml')).length === 0;
  return isGood ? save({ ...state, data }, facts) : goTo('review', changed);
}

function takeVolume(state: ProtocolState, inputs: StepInputs, facts: ProtocolFacts): Advance {
  // Back before the run, from where the ones before can be repeated too: a wrong weight must not cost the whole session.
  if (inputs.action === 'redo_last') return goTo('test_run');
  const done = measured(state.data);
  const pulses = pulsesIn(state.data, state.data.numbers('durations')[done.length] ?? 0);
  return afterRuns(state, { results: [...done, inputs.number('volume_ml') / pulses] }, facts);
}

/** The run that an action of the table names, counted from 0. @throws InvalidInput */
function namedRun({ data }: ProtocolState, inputs: StepInputs): number {
  const index = (inputs.count('run') ?? 0) - 1;
  if (index in measured(data)) return index;
  throw new InvalidInput(`The run must be one of the ${measured(data).length} weighed ones.`);
}

/** Leaves a weighed run out. @throws InvalidInput when too few would remain */
function dropRun(state: ProtocolState, inputs: StepInputs): Advance {
  const { data } = state;
  const index = namedRun(state, inputs);
  const durations = data.numbers('durations').toSpliced(index, 1);
  if (durations.length < leastRuns)
    throw new InvalidInput(`A calibration needs at least ${leastRuns} runs. Repeat the run instead.`);
  const results = measured(data).toSpliced(index, 1);
  const bounds = { min_duration: Math.min(...durations), max_duration: Math.max(...durations) };
  return goTo(results.length < durations.length ? 'test_run' : 'review', { durations, results, ...bounds });
}

/** Takes a weighed run back: its duration is the next one. */
function repeatRun(state: ProtocolState, inputs: StepInputs): Advance {
  const { data } = state;
  const index = namedRun(state, inputs);
  const durations = data.numbers('durations');
  const results = measured(data).toSpliced(index, 1);
  const reordered = durations.toSpliced(index, 1).toSpliced(results.length, 0, durations[index] ?? 0);
  return goTo('test_run', { durations: reordered, results });
}

/** What a person does with the weighed runs; undefined: nothing, the step continues. */
function runAction(state: ProtocolState, inputs: StepInputs): Advance | undefined {
  if (inputs.action === 'drop_run') return dropRun(state, inputs);
  return inputs.action === 'repeat_run' ? repeatRun(state, inputs) : undefined;
}

function takeRun(state: ProtocolState, inputs: StepInputs, facts: ProtocolFacts): Advance {
  const { data } = state;
  const isAgain = inputs.action === 'redo_last' && measured(data).length > 0;
  const results = isAgain ? measured(data).slice(0, -1) : measured(data);
  if (isAgain && inputs.isFalse('run_at_once')) return goTo('test_run', { results: [...results] });
  const durations = data.numbers('durations');
  const seconds = durations[results.length] ?? 0;
  const number = results.length + 1;
  const purpose = `run ${number} of ${durations.length}`;
  return run(state, { label: `Run ${number}`, purpose, seconds, pulses: pulsesIn(data, seconds) }, facts, () =>
    goTo('test_volume', { results: [...results] }),
  );
}

function advance(state: ProtocolState, inputs: StepInputs, facts: ProtocolFacts): Advance {
  const names = nameSteps(state.device, facts);
  switch (state.stepId) {
    case 'intro_confirm_1':
      return goTo('intro_confirm_2');
    case 'intro_confirm_2':
      return goTo('intro_confirm_3');
    case 'intro_confirm_3':
      return goTo(names.askStep);
    case names.askStep:
      return takeName(names, inputs);
    case names.confirmStep:
      return takeConfirmation(names, inputs);
    case 'volume_targets':
      return takeTargets(inputs);
    case 'pwm_settings':
      return takeDrive(inputs, facts);
    case 'tubing_into_water':
      return takeTubes(state.device, inputs, facts);
    case 'prime_pump_duration':
      return fillTubes(state, primeSeconds(inputs, facts), facts);
    case 'tracer_run':
      return run(state, { label: 'Test run', purpose: 'test run', seconds: trialRunS }, facts, () =>
        goTo('tracer_volume'),
      );
    case 'tracer_volume':
      return takeTrialVolume(state, inputs, facts);
    case 'test_run':
      return runAction(state, inputs) ?? takeRun(state, inputs, facts);
    case 'test_volume':
      return takeVolume(state, inputs, facts);
    case 'review':
      return runAction(state, inputs) ?? save(state, facts);
    default:
      throw new Error(`The protocol has no step ${state.stepId}.`);
  }
}

const fillTubes = (state: ProtocolState, seconds: number, facts: ProtocolFacts): Advance =>
  run(state, { label: 'Filling the tubes', purpose: 'filling the tubes', seconds }, facts, () => goTo('tracer_run'));

function primeSeconds(inputs: StepInputs, { longestPumpRunS }: ProtocolFacts): number {
  const seconds = inputs.number('prime_duration_s');
  if (seconds > longestPumpRunS)
    throw new InvalidInput(`A pump may run for ${longestPumpRunS} s at most.`, 'prime_duration_s');
  return seconds;
}

/** How much a pump moves in a time: runs of different lengths, weighed by a person. */
export const pumpProtocol: Protocol = {
  name: 'duration_based',
  priority: 99,
  title: 'Calibrate {device} (weigh)',
  description: 'Measures the flow of the {device} by weighing the pumped water.',
  requirements: [
    'The pump wired and its tubes in place',
    'A vessel with water',
    'A scale that shows hundredths of a gram',
  ],
  devices: () => pumpDevices,
  effect: (device) =>
    `The ${withBlanks(device)} runs twelve times or more, and what it pumps goes where the end of its tube is: ${
      pumpOf(device) === 'waste_pump'
        ? 'with its inlet in the vial it empties it'
        : 'into the vial it dilutes the culture'
    }. Take the vial out of the unit, or hang the tubes over vessels, before you continue. Dosing must be off. Every run is recorded in the experiment, and changes no volume of the vial.`,
  refusal: (device, facts) =>
    facts.pumpChannel(pumpOf(device)) === undefined
      ? `No output of this unit is labelled for the ${withBlanks(device)}: name one in [PWM] of the configuration.`
      : liquidConflict(facts),
  start: (device, facts) => ({
    stepId: 'intro_confirm_1',
    data: {
      channel_pump_is_configured_for: facts.pumpChannel(pumpOf(device)) ?? '',
      default_name: nameSteps(device, facts).defaultName,
    },
  }),
  step,
  advance,
};
