import type { OdAngle, SessionStep } from '@lcs/contract';
import type { Standard } from '../estimators/angle-fit.ts';
import { fitFusion, minConcentrations } from '../estimators/od-fusion.ts';
import {
  estimatorNames,
  finishWith,
  fusedAngles,
  fusionDevices,
  fusionReadings,
  fusionRefusal,
  rpmStep,
  signalsOf,
} from './fusion-steps.ts';
import { askName, confirmName, takeConfirmation, takeName } from './name-steps.ts';
import { otherVialsEffect, withValues } from './od-steps.ts';
import {
  type Advance,
  fieldOf,
  goTo,
  InvalidInput,
  type Protocol,
  type ProtocolFacts,
  type ProtocolState,
  performAction,
  stepOf,
} from './protocol.ts';
import type { SessionData } from './session-data.ts';
import type { StepInputs } from './step-inputs.ts';

const measuredCount = (data: SessionData): number => new Set(data.numbers('od_values')).size;

function step({ stepId, data }: ProtocolState, facts: ProtocolFacts): SessionStep {
  const names = estimatorNames(facts, 'rpm');
  switch (stepId) {
    case 'intro':
      return stepOf(stepId, 'info', {
        title: 'Fused optical density',
        body: `You place ${minConcentrations} or more vials of known optical density one after the other, no blank. Each is read by all photodiodes.`,
      });
    case names.askStep:
      return askName(names);
    case names.confirmStep:
      return confirmName(names, data.text(names.field));
    case 'rpm':
      return rpmStep(facts);
    case 'place_standard':
      return stepOf(stepId, 'info', {
        title: `Standard ${measuredCount(data) + 1}`,
        body: 'Place the vial of the next standard, with a stir bar in it.',
      });
    case 'measure_standard':
      return stepOf(stepId, 'form', {
        title: `Standard ${measuredCount(data) + 1}`,
        body: 'Which optical density has it?',
        fields: [fieldOf({ name: 'od_value', label: 'Optical density', field_type: 'float', minimum: 0.0001 })],
      });
    case 'record_observation':
      return stepOf(stepId, 'action', {
        title: 'Read it',
        body: 'When you continue, the unit stirs and reads the vial four times.',
      });
    case 'remove_observation':
      return stepOf(stepId, 'info', { title: 'Read', body: 'Take the vial out.' });
    case 'another_standard':
      return stepOf(stepId, 'form', {
        title: `${measuredCount(data)} measured`,
        body: `Measure another standard? ${minConcentrations} are needed at least.`,
        fields: [fieldOf({ name: 'another', label: 'Another one', field_type: 'bool', default: true })],
      });
    default:
      throw new Error(`The protocol has no step ${stepId}.`);
  }
}

function record({ data }: ProtocolState, facts: ProtocolFacts): Advance {
  const action = { kind: 'od' as const, rpm: data.number('rpm'), readings: fusionReadings };
  return performAction('Measuring', action, ({ readings }) => {
    let signals = data.lists('signals');
    for (const reading of readings) {
      const values = Object.fromEntries(Object.entries(signalsOf(facts, reading)));
      signals = withValues(signals, values);
    }
    const values = [...data.numbers('od_values'), ...readings.map(() => data.number('od_value'))];
    return goTo('remove_observation', { od_values: values, signals: copied(signals) });
  });
}

const copied = (lists: Readonly<Record<string, readonly number[]>>): Record<string, number[]> =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, [...values]]));

function finish({ data }: ProtocolState, facts: ProtocolFacts): Advance {
  const values = data.numbers('od_values');
  const lists = data.lists('signals');
  const standards = new Map<OdAngle, readonly Standard[]>(
    fusedAngles.map((angle) => [
      angle,
      (lists[angle] ?? []).map((signal, index) => ({ signal, concentration: values[index] ?? Number.NaN })),
    ]),
  );
  if ([...standards.values()].flat().some(({ signal }) => !(signal > 0)))
    throw new InvalidInput(
      'A photodiode has no signal. Check the LED and the photodiodes, then abort and start a new session.',
    );
  const model = fitFusion(standards);
  if (model === undefined)
    throw new InvalidInput(`There must be at least ${minConcentrations} standards of different optical density.`);
  const by_angle = Object.fromEntries(
    [...standards].map(([angle, seen]) => [
      angle,
      { x: seen.map(({ concentration }) => concentration), y: seen.map(({ signal }) => signal) },
    ]),
  );
  return finishWith(facts, data, model, { by_angle });
}

function advance(state: ProtocolState, inputs: StepInputs, facts: ProtocolFacts): Advance {
  const names = estimatorNames(facts, 'rpm');
  switch (state.stepId) {
    case 'intro':
      return goTo(names.askStep);
    case names.askStep:
      return takeName(names, inputs);
    case names.confirmStep:
      return takeConfirmation(names, inputs);
    case 'rpm':
      return goTo('place_standard', { rpm: inputs.number('rpm') });
    case 'place_standard':
      return goTo('measure_standard');
    case 'measure_standard':
      return goTo('record_observation', { od_value: inputs.number('od_value') });
    case 'record_observation':
      return record(state, facts);
    case 'remove_observation':
      return goTo('another_standard');
    case 'another_standard':
      return inputs.boolean('another') ? goTo('place_standard') : finish(state, facts);
    default:
      throw new Error(`The protocol has no step ${state.stepId}.`);
  }
}

/** One optical density of three angles: vials of known density, placed by a person. */
export const fusionStandardsProtocol: Protocol = {
  name: 'od_fusion_standards',
  priority: 1,
  title: 'Calibrate {device} with standards',
  description:
    'Finds what each photodiode sees at which optical density, so that one value can be made of all of them.',
  requirements: ['A reactor of an XR model', `${minConcentrations} vials of known optical density, no blank`],
  devices: fusionDevices,
  effect: () => otherVialsEffect,
  refusal: (_device, facts) => fusionRefusal(facts),
  start: () => ({ stepId: 'intro', data: { od_values: [], signals: {} } }),
  step,
  advance,
};
