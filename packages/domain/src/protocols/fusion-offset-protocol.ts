import type { EstimatorContent, SessionStep } from '@lcs/contract';
import { applyOffset, fitOffset } from '../estimators/fusion-offset.ts';
import { fuse } from '../estimators/od-fusion.ts';
import {
  estimatorNames,
  finishWith,
  fusionDevices,
  fusionReadings,
  fusionRefusal,
  rpmStep,
  signalsOf,
} from './fusion-steps.ts';
import { askName, confirmName, takeConfirmation, takeName } from './name-steps.ts';
import { meanOf, otherVialsEffect } from './od-steps.ts';
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
import type { StepInputs } from './step-inputs.ts';

const standardsNeeded = 2;

const sourcesOf = ({ fusedEstimators }: ProtocolFacts): readonly string[] => [
  ...new Set(fusedEstimators.map((one) => one.calibrated_on_reactor_unit)),
];

const ofUnit = ({ fusedEstimators }: ProtocolFacts, unit: string): readonly EstimatorContent[] =>
  fusedEstimators.filter((one) => one.calibrated_on_reactor_unit === unit);

const choiceStep = (stepId: string, name: string, title: string, options: readonly string[]): SessionStep =>
  stepOf(stepId, 'form', {
    title,
    body: 'Estimators that are stored on this unit can be begun with, whichever unit they were made on.',
    fields: [fieldOf({ name, label: title, field_type: 'choice', options: [...options], default: options[0] ?? null })],
  });

function step({ stepId, data }: ProtocolState, facts: ProtocolFacts): SessionStep {
  const names = estimatorNames(facts, 'rpm');
  const count = data.numbers('truths').length;
  switch (stepId) {
    case 'intro':
      return stepOf(stepId, 'info', {
        title: 'Fused optical density from another estimator',
        body: 'An estimator that exists is corrected to this unit by two vials of known optical density.',
      });
    case 'select_worker':
      return choiceStep(stepId, 'source_unit', 'Made on', sourcesOf(facts));
    case 'select_estimator':
      return choiceStep(
        stepId,
        'source_estimator_name',
        'Estimator',
        ofUnit(facts, data.text('source_unit')).map((one) => one.estimator_name),
      );
    case names.askStep:
      return askName(names);
    case names.confirmStep:
      return confirmName(names, data.text(names.field));
    case 'rpm':
      return rpmStep(facts);
    case 'place_standard':
      return stepOf(stepId, 'info', {
        title: `Standard ${count + 1} of ${standardsNeeded}`,
        body: 'Place the vial of the standard, with a stir bar in it.',
      });
    case 'standard_od':
      return stepOf(stepId, 'form', {
        title: `Standard ${count + 1} of ${standardsNeeded}`,
        body: 'Which optical density has it?',
        fields: [fieldOf({ name: 'standard_od', label: 'Optical density', field_type: 'float', minimum: 1e-6 })],
      });
    case 'record_observation':
      return stepOf(stepId, 'action', {
        title: 'Read it',
        body: 'When you continue, the unit stirs and reads the vial four times.',
      });
    case 'remove_standard':
      return stepOf(stepId, 'info', { title: 'Read', body: 'Take the vial out.' });
    default:
      throw new Error(`The protocol has no step ${stepId}.`);
  }
}

function sourceOf({ data }: ProtocolState, facts: ProtocolFacts): EstimatorContent {
  const name = data.text('source_estimator_name');
  const source = ofUnit(facts, data.text('source_unit')).find((one) => one.estimator_name === name);
  if (source === undefined) throw new InvalidInput(`The estimator ${name} is not stored on this unit any more.`);
  return source;
}

function record(state: ProtocolState, facts: ProtocolFacts): Advance {
  const { data } = state;
  const action = { kind: 'od' as const, rpm: data.number('rpm'), readings: fusionReadings };
  const source = sourceOf(state, facts);
  return performAction('Measuring', action, ({ readings }) => {
    const fused = readings.map((reading) => fuse(source, signalsOf(facts, reading))?.concentration);
    const known = fused.filter((one) => one !== undefined);
    if (known.length < readings.length)
      throw new InvalidInput('A photodiode has no signal. Check the LED and the photodiodes.');
    return goTo('remove_standard', {
      truths: [...data.numbers('truths'), data.number('standard_od')],
      estimates: [...data.numbers('estimates'), meanOf(known)],
    });
  });
}

function finish(state: ProtocolState, facts: ProtocolFacts): Advance {
  const { data } = state;
  const [truths, estimates] = [data.numbers('truths'), data.numbers('estimates')];
  const standard = (index: number) => ({
    truth: truths[index] ?? Number.NaN,
    estimate: estimates[index] ?? Number.NaN,
  });
  const by = fitOffset(standard(0), standard(1));
  if (by === undefined)
    throw new InvalidInput(
      'The estimates of the two standards are equal or in the wrong order. Abort, and start with other standards.',
    );
  const source = sourceOf(state, facts);
  const { angles, mu_splines, sigma_splines_log, min_logc, max_logc, sigma_floor, low_conc_scales } = source;
  const model = { angles, mu_splines, sigma_splines_log, min_logc, max_logc, sigma_floor, low_conc_scales };
  const recorded = {
    transform: { scale_logc: by.scale, offset_logc: by.offset },
    standards: { truths: [...truths], estimates: [...estimates] },
    base_recorded_data: source.recorded_data,
  };
  return finishWith(facts, data, applyOffset(model, by), recorded, {
    source_unit: data.text('source_unit'),
    source_estimator: source.estimator_name,
    scale_logc: by.scale,
    offset_logc: by.offset,
  });
}

function advance(state: ProtocolState, inputs: StepInputs, facts: ProtocolFacts): Advance {
  const names = estimatorNames(facts, 'rpm');
  switch (state.stepId) {
    case 'intro':
      return goTo('select_worker');
    case 'select_worker':
      return goTo('select_estimator', { source_unit: inputs.choice('source_unit') });
    case 'select_estimator':
      return goTo(names.askStep, { source_estimator_name: inputs.choice('source_estimator_name') });
    case names.askStep:
      return takeName(names, inputs);
    case names.confirmStep:
      return takeConfirmation(names, inputs);
    case 'rpm':
      return goTo('place_standard', { rpm: inputs.number('rpm') });
    case 'place_standard':
      return goTo('standard_od');
    case 'standard_od':
      return goTo('record_observation', { standard_od: inputs.number('standard_od') });
    case 'record_observation':
      return record(state, facts);
    case 'remove_standard':
      return state.data.numbers('truths').length < standardsNeeded ? goTo('place_standard') : finish(state, facts);
    default:
      throw new Error(`The protocol has no step ${state.stepId}.`);
  }
}

/** One optical density of three angles, from an estimator of another unit and two standards. */
export const fusionOffsetProtocol: Protocol = {
  name: 'od_fusion_offset',
  priority: 2,
  title: 'Copy {device} from another unit and correct it',
  description: 'Corrects an estimator that exists to this unit.',
  requirements: ['A reactor of an XR model', 'An estimator on this unit', 'Two vials of known optical density'],
  devices: fusionDevices,
  effect: () => otherVialsEffect,
  refusal: (_device, facts) =>
    fusionRefusal(facts) ??
    (facts.fusedEstimators.length === 0 ? 'No estimator of fused optical density is stored on this unit.' : undefined),
  start: () => ({ stepId: 'intro', data: { truths: [], estimates: [] } }),
  step,
  advance,
};
