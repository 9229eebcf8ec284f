import type { Json, StepChart, StepTable } from '@lcs/contract';
import { blankProblems, type ChannelBlank, summariseBlank } from './blank-quality.ts';
import { otherVialsEffect, signalChannels } from './od-steps.ts';
import {
  type Advance,
  conflictingJobs,
  fieldOf,
  goTo,
  InvalidInput,
  type Protocol,
  type ProtocolFacts,
  type ProtocolState,
  performAction,
  stepOf,
} from './protocol.ts';
import { SessionData } from './session-data.ts';
import type { StepInputs } from './step-inputs.ts';

const device = 'od';
/** As many as the job `od_blank` takes. */
const samples = 30;

interface Measured {
  readonly blanks: readonly ChannelBlank[];
  readonly problems: readonly string[];
}

function measured(data: SessionData): Measured {
  const angles = data.texts('angles');
  const lists = Object.entries(data.lists('readings'));
  const blanks = lists.map(([channel, readings]) => summariseBlank(channel, angles[channel] ?? '', readings));
  return { blanks, problems: blanks.flatMap((blank, at) => blankProblems(blank, lists[at]?.[1] ?? [])) };
}

const meansOf = ({ blanks }: Measured): Record<string, number> =>
  Object.fromEntries(blanks.map(({ channel, meanV }) => [channel, meanV]));

const tableOf = ({ blanks }: Measured): StepTable => ({
  title: 'Readings',
  columns: ['Photodiode', 'Angle, °', 'Mean, V', 'Noise, V'],
  rows: blanks.map(({ channel, angle, meanV, noiseV }) => [
    channel,
    angle,
    meanV.toPrecision(4),
    noiseV.toPrecision(2),
  ]),
});

const chartOf = (data: SessionData): StepChart => ({
  title: 'Readings of the blank',
  x_label: 'Reading',
  y_label: 'Signal, V',
  series: Object.entries(data.lists('readings')).map(([channel, readings]) => ({
    id: channel,
    label: `Photodiode ${channel}`,
    points: readings.map((y, at) => ({ x: at + 1, y })),
  })),
});

function reviewStep(data: SessionData) {
  const found = measured(data);
  const isGood = found.problems.length === 0;
  return stepOf('review', 'form', {
    title: isGood ? 'The blank looks good' : 'The blank has a problem',
    body: isGood ? 'It is steady, and as dark as clear medium is.' : found.problems.join(' '),
    fields: [
      fieldOf({
        name: 'keep',
        label: isGood ? 'Keep it for this experiment' : 'Keep it all the same',
        field_type: 'bool',
        default: isGood,
        help_text: 'Otherwise it is measured again.',
      }),
    ],
    metadata: { chart: chartOf(data), table: tableOf(found) },
  });
}

function measure({ data }: ProtocolState, inputs: StepInputs, facts: ProtocolFacts): Advance {
  const keepsGood = inputs.boolean('keep_when_good');
  return performAction('Reading the blank', { kind: 'blank_light', samples }, ({ readings }) => {
    const channels = signalChannels(facts);
    const lists = channels.map(({ channel }) => [channel, readings.map((one) => one[channel] ?? Number.NaN)] as const);
    const seen = lists.filter(([, values]) => values.every(Number.isFinite));
    if (seen.length === 0) throw new InvalidInput('No photodiode has a signal. Check the LED and the photodiodes.');
    const read = {
      readings: Object.fromEntries(seen.map(([channel, values]) => [channel, [...values]])),
      angles: Object.fromEntries(channels.map(({ channel, angle }) => [channel, angle])),
    };
    const measuredNow = new SessionData({ ...data.values, ...read });
    return keepsGood && measured(measuredNow).problems.length === 0 ? keep(measuredNow, read) : goTo('review', read);
  });
}

const takeReview = ({ data }: ProtocolState, inputs: StepInputs): Advance =>
  inputs.boolean('keep') ? keep(data) : goTo('place_blank');

function keep(data: SessionData, read?: Readonly<Record<string, Json>>): Advance {
  const found = measured(data);
  const means = meansOf(found);
  return performAction('Keeping the blank', { kind: 'keep_blank', means, problems: found.problems }, () => ({
    kind: 'finish',
    ...(read !== undefined && { data: read }),
    files: [],
    result: () => ({
      title: 'The blank is kept for this experiment, and in use from the next start of OD reading',
      experiment: data.text('experiment'),
      means,
      noise: Object.fromEntries(found.blanks.map(({ channel, noiseV }) => [channel, noiseV])),
      problems: [...found.problems],
    }),
  }));
}

/** @throws InvalidInput: a blank belongs to the experiment that the session began with */
function expectSameExperiment({ data }: ProtocolState, { experiment }: ProtocolFacts): void {
  const began = data.text('experiment');
  if (experiment !== began)
    throw new InvalidInput(`The unit is not in ${began} any more. Abort this session and start a new one.`);
}

/** Measures medium without cells; a person checks the result before it is stored. */
export const odBlankProtocol: Protocol = {
  name: 'blank',
  priority: 10,
  title: 'Measure blank (sterile medium)',
  description: 'Measures the signal of medium without cells, which OD reading subtracts from then on.',
  requirements: ['The vial of this experiment with its medium, without cells', 'A stir bar in it'],
  devices: (facts) => (signalChannels(facts).length > 0 ? [device] : []),
  effect: () => otherVialsEffect,
  refusal: (_device, facts) => {
    const { experiment, activeForOd } = facts;
    if (experiment === undefined) return 'The unit is in no experiment: a blank belongs to one. Assign the unit first.';
    const conflict = conflictingJobs(['od_reading', 'dosing_automation'], facts);
    if (conflict !== undefined) return conflict;
    if (activeForOd.length > 0)
      return `${activeForOd.join(' and ')} in use: an OD can be blanked or calibrated, not both. Deactivate it first.`;
    return undefined;
  },
  start: (_device, { experiment = '' }) => ({ stepId: 'place_blank', data: { experiment } }),
  step: ({ data, stepId }) => {
    if (stepId === 'review') return reviewStep(data);
    return stepOf('place_blank', 'form', {
      title: 'Place the blank',
      body: `Put the vial with medium and a stir bar into the unit, wipe it, and close the lid. Wait until no bubbles rise. The unit stirs and reads it ${samples} times, which takes about a minute. The result is subtracted from every reading of ${data.text('experiment')} from then on: measure it before cells are added.`,
      fields: [
        fieldOf({
          name: 'holds_medium_only',
          label: 'The vial holds medium and no cells',
          field_type: 'bool',
          default: false,
        }),
        fieldOf({
          name: 'keep_when_good',
          label: 'Keep it at once when it is good',
          field_type: 'bool',
          default: false,
          help_text: 'Otherwise you see the readings first.',
        }),
      ],
    });
  },
  advance: (state, inputs, facts) => {
    expectSameExperiment(state, facts);
    if (state.stepId === 'review') return takeReview(state, inputs);
    if (!inputs.boolean('holds_medium_only'))
      throw new InvalidInput(
        'With cells in the vial their light would be taken for that of the medium.',
        'holds_medium_only',
      );
    return measure(state, inputs, facts);
  },
};
