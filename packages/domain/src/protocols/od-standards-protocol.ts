import type { CalibrationContent, SessionStep, StepChart, StepTable } from '@lcs/contract';
import { odDevice } from '../calibrations/calibration-file.ts';
import { curveAt } from '../curves/curve.ts';
import { fitSpline } from '../curves/fit-spline.ts';
import { askName, confirmName, type NameSteps, takeConfirmation, takeName } from './name-steps.ts';
import {
  intensityOf,
  lightRefusal,
  meanOf,
  otherVialsEffect,
  type SignalChannel,
  signalChannels,
  withoutAt,
  withValues,
} from './od-steps.ts';
import {
  type Advance,
  dayOf,
  fieldOf,
  goTo,
  InvalidInput,
  type OdReadings,
  type Protocol,
  type ProtocolFacts,
  type ProtocolState,
  performAction,
  stepOf,
} from './protocol.ts';
import type { SessionData } from './session-data.ts';
import type { StepInputs } from './step-inputs.ts';

/** All configured angles together. */
const allAngles = 'od';
const another = 'another standard';
const toBlank = 'go on to the blank';

/** Three readings that count, after three in which light and liquid settle. */
const readings: OdReadings = { discarded: 3, speeds: [1, 1, 1], spacingS: 3 };

const channelsFor = (device: string, facts: ProtocolFacts): readonly SignalChannel[] =>
  signalChannels(facts).filter(({ angle }) => device === allAngles || device === odDevice(angle));

const nameSteps = (device: string, facts: ProtocolFacts): NameSteps => {
  const channels = channelsFor(device, facts);
  return {
    askStep: 'name_input',
    confirmStep: 'name_overwrite_confirm',
    next: channels.length > 1 ? 'channel_confirm' : 'rpm_input',
    field: 'calibration_name',
    defaultName: `od-cal-${dayOf(facts.nowMs)}`,
    isTaken: (name) => channels.some(({ angle }) => facts.calibrationExists(odDevice(angle), name)),
  };
};

/** Straight segments that draw the fitted curve. */
const curveSegments = 40;

/** The curve through the standards so far; undefined: they give none. */
function lineOf(points: readonly { readonly x: number; readonly y: number }[]) {
  const curve = fitSpline(points);
  if (curve === undefined) return undefined;
  const [low, high] = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
  return Array.from({ length: curveSegments + 1 }, (_, at) => {
    const x = low + ((high - low) * at) / curveSegments;
    return { x, y: curveAt(curve, x) };
  });
}

const seriesOf = (data: SessionData): StepChart['series'] =>
  Object.entries(data.lists('voltages_by_channel')).map(([channel, voltages]) => {
    const points = voltages.map((y, index) => ({ x: data.numbers('od600_values')[index] ?? 0, y }));
    const line = lineOf(points);
    return { id: channel, label: `Channel ${channel}`, points, ...(line !== undefined && { line }) };
  });

/** The standards as a table; each can be measured again or left out. */
function tableOf(data: SessionData): StepTable {
  const lists = Object.entries(data.lists('voltages_by_channel'));
  const values = data.numbers('od600_values');
  return {
    title: 'Standards so far',
    columns: ['Standard', 'OD600', ...lists.map(([channel]) => `Channel ${channel}, V`)],
    rows: values.map((value, index) => [
      index + 1,
      value,
      ...lists.map(([, voltages]) => (voltages[index] ?? Number.NaN).toPrecision(4)),
    ]),
    row_actions: values.map((_, index) => [
      { label: 'Repeat', inputs: { action: 'repeat_standard', standard: index + 1 } },
      { label: 'Leave out', inputs: { action: 'drop_standard', standard: index + 1 } },
    ]),
  };
}

const chartOf = (data: SessionData): StepChart => ({
  title: 'Standards so far',
  x_label: 'OD600',
  y_label: 'Voltage, V',
  series: seriesOf(data),
});

const repeatLast = { label: 'Repeat the last standard', inputs: { action: 'redo_last' } };

const measuredCount = (data: SessionData): number => data.numbers('od600_values').length;

const valueForm = (stepId: string, name: string, title: string, body: string) =>
  stepOf(stepId, 'form', {
    title,
    body,
    fields: [fieldOf({ name, label: 'OD600', field_type: 'float', minimum: 0 })],
  });

/** The steps that need no more than the state of the session, by their ID. */
const fixedSteps: Readonly<Record<string, (stepId: string, data: SessionData, facts: ProtocolFacts) => SessionStep>> = {
  intro: (stepId) =>
    stepOf(stepId, 'info', {
      title: 'Calibrate OD with standards',
      body: 'You place vials of known optical density one after the other, the blank last. Each needs 10 mL at least and a stir bar.',
    }),
  channel_confirm: (stepId, data) =>
    stepOf(stepId, 'info', {
      title: 'Photodiodes',
      body: `These are calibrated together: ${data.text('channel_summary')}.`,
    }),
  rpm_input: (stepId, _data, facts) =>
    stepOf(stepId, 'form', {
      title: 'Stirring',
      body: 'How fast must the standards be stirred? Use the speed of your experiments.',
      fields: [
        fieldOf({
          name: 'rpm',
          label: 'RPM',
          field_type: 'float',
          default: facts.initialRpm,
          minimum: 0,
          maximum: 10000,
        }),
      ],
    }),
  place_standard: (stepId, data) =>
    stepOf(stepId, 'info', {
      title: `Standard ${measuredCount(data) + 1}`,
      body: 'Place the vial of the next standard, with a stir bar in it.',
      metadata: { chart: chartOf(data) },
    }),
  measure_standard: (stepId, data) =>
    valueForm(
      stepId,
      'od600_value',
      `Standard ${measuredCount(data) + 1}`,
      'What is its optical density? The unit then stirs and reads it.',
    ),
  another_standard: (stepId, data) =>
    stepOf(stepId, 'form', {
      title: `${measuredCount(data)} measured`,
      body: 'Measure another standard, or continue with the blank?',
      fields: [
        fieldOf({
          name: 'next_action',
          label: 'Next',
          field_type: 'choice',
          options: [another, toBlank],
          default: another,
        }),
      ],
      metadata: { chart: chartOf(data), table: tableOf(data), actions: [repeatLast] },
    }),
  place_blank: (stepId, data) =>
    stepOf(stepId, 'info', {
      title: 'Blank',
      body: 'Place the vial with medium only, with a stir bar in it.',
      metadata: { chart: chartOf(data) },
    }),
  measure_blank: (stepId) => valueForm(stepId, 'od600_blank', 'Blank', 'What is its optical density? Usually 0.'),
};

function step({ device, stepId, data }: ProtocolState, facts: ProtocolFacts): SessionStep {
  const names = nameSteps(device, facts);
  if (stepId === names.askStep) return askName(names);
  if (stepId === names.confirmStep) return confirmName(names, data.text(names.field));
  const fixed = Object.hasOwn(fixedSteps, stepId) ? fixedSteps[stepId] : undefined;
  if (fixed === undefined) throw new Error(`The protocol has no step ${stepId}.`);
  return fixed(stepId, data, facts);
}

function measure(
  state: ProtocolState,
  value: number,
  proceed: (values: readonly number[], voltages: Record<string, number[]>) => Advance,
): Advance {
  const { data } = state;
  const rpm = data.number('rpm');
  return performAction('Measuring', { kind: 'od', rpm, readings }, ({ readings: read }) => {
    const channels = Object.keys(data.texts('channel_angle_map'));
    const voltages = Object.fromEntries(
      channels.map((channel) => [channel, meanOf(read.map((one) => one[channel] ?? Number.NaN))]),
    );
    const lists = data.lists('voltages_by_channel');
    return proceed([...data.numbers('od600_values'), value], withValues(lists, voltages));
  });
}

function contentOf(
  state: ProtocolState,
  facts: ProtocolFacts,
  { channel, angle }: SignalChannel,
  xs: readonly number[],
  ys: readonly number[],
) {
  const curve = fitSpline(xs.map((x, index) => ({ x, y: ys[index] ?? 0 })));
  if (curve === undefined)
    throw new InvalidInput('There must be at least two standards of different optical density, including the blank.');
  const pd_channel = (['1', '2', '3', '4'] as const).find((known) => known === channel);
  if (pd_channel === undefined) throw new Error(`${channel} must be the number of a photodiode.`);
  return {
    calibration_type: 'od600',
    calibration_name: state.data.text('calibration_name'),
    calibrated_on_reactor_unit: facts.unit,
    created_at: new Date(facts.nowMs).toISOString(),
    curve_data_: curve,
    x: 'OD600',
    y: 'Voltage',
    recorded_data: { x: [...xs], y: [...ys] },
    ir_led_intensity: intensityOf(facts),
    angle,
    pd_channel,
  } satisfies CalibrationContent;
}

function finish(
  state: ProtocolState,
  facts: ProtocolFacts,
  xs: readonly number[],
  voltages: Record<string, number[]>,
): Advance {
  const channels = channelsFor(state.device, facts);
  return {
    kind: 'finish',
    data: { od600_values: [...xs], voltages_by_channel: voltages },
    files: channels.map((one) => ({
      kind: 'calibration',
      device: odDevice(one.angle),
      content: contentOf(state, facts, one, xs, voltages[one.channel] ?? []),
    })),
    result: (links) => ({
      calibrations: links.map(({ device, name, path }) => ({ device, calibration_name: name, path })),
    }),
  };
}

/** The session without one standard. @throws InvalidInput */
function withoutStandard(data: SessionData, standard: number) {
  const index = standard - 1;
  const values = data.numbers('od600_values');
  if (!(index in values)) throw new InvalidInput(`The standard must be one of the ${values.length} measured ones.`);
  return {
    od600_values: values.toSpliced(index, 1),
    voltages_by_channel: withoutAt(data.lists('voltages_by_channel'), index),
  };
}

function takeNext({ data }: ProtocolState, inputs: StepInputs): Advance {
  if (inputs.action === 'redo_last') return goTo('place_standard', withoutStandard(data, measuredCount(data)));
  const standard = inputs.count('standard') ?? 0;
  if (inputs.action === 'repeat_standard') return goTo('place_standard', withoutStandard(data, standard));
  if (inputs.action === 'drop_standard') {
    const changed = withoutStandard(data, standard);
    return goTo(changed.od600_values.length > 0 ? 'another_standard' : 'place_standard', changed);
  }
  return goTo(inputs.choice('next_action') === another ? 'place_standard' : 'place_blank');
}

function advance(state: ProtocolState, inputs: StepInputs, facts: ProtocolFacts): Advance {
  const names = nameSteps(state.device, facts);
  switch (state.stepId) {
    case 'intro':
      return goTo(names.askStep);
    case names.askStep:
      return takeName(names, inputs);
    case names.confirmStep:
      return takeConfirmation(names, inputs);
    case 'channel_confirm':
      return goTo('rpm_input');
    case 'rpm_input':
      return goTo('place_standard', { rpm: inputs.number('rpm') });
    case 'place_standard':
      return goTo('measure_standard');
    case 'measure_standard':
      return measure(state, inputs.number('od600_value'), (values, voltages) =>
        goTo('another_standard', { od600_values: [...values], voltages_by_channel: voltages }),
      );
    case 'another_standard':
      return takeNext(state, inputs);
    case 'place_blank':
      return goTo('measure_blank');
    case 'measure_blank':
      return measure(state, inputs.number('od600_blank'), (values, voltages) => finish(state, facts, values, voltages));
    default:
      throw new Error(`The protocol has no step ${state.stepId}.`);
  }
}

function devices(facts: ProtocolFacts): readonly string[] {
  const own = [...new Set(signalChannels(facts).map(({ angle }) => odDevice(angle)))];
  return own.length > 1 ? [allAngles, ...own] : own;
}

/** Which voltage a photodiode gives at which optical density: vials of known density, placed by a person. */
export const odStandardsProtocol: Protocol = {
  name: 'standards',
  priority: 99,
  title: 'Calibrate {device} with standards',
  description: 'Relates sensor voltage to OD.',
  requirements: ['Vials of known optical density, the blank among them', 'A stir bar in each'],
  devices,
  effect: () => otherVialsEffect,
  refusal: (_device, facts) => lightRefusal(facts),
  start: (device, facts) => {
    const channels = channelsFor(device, facts);
    return {
      stepId: 'intro',
      data: {
        channel_angle_map: Object.fromEntries(channels.map(({ channel, angle }) => [channel, angle])),
        channel_summary: channels.map(({ channel, angle }) => `channel ${channel} at ${angle}°`).join(', '),
        devices_for_name_check: channels.map(({ angle }) => odDevice(angle)),
        od600_values: [],
        voltages_by_channel: {},
      },
    };
  },
  step,
  advance,
};
