import type { Json, StepTable } from '@lcs/contract';
import { type SelfTestName, selfTestNames, selfTests } from '../self-test/self-test.ts';
import {
  type Advance,
  conflictingJobs,
  goTo,
  type Protocol,
  type ProtocolState,
  performAction,
  type SelfTestOutcome,
  stepOf,
} from './protocol.ts';
import { selfTestAdvice } from './self-test-advice.ts';
import { SessionData } from './session-data.ts';
import type { StepInputs } from './step-inputs.ts';

const device = 'unit';

/** Jobs that use the hardware of the test. */
const inTheWay = [
  'od_reading',
  'stirring',
  'temperature_automation',
  'dosing_automation',
  'led_automation',
  'self_test',
];

/** Checks done so far, in their order. */
function outcomesOf(data: SessionData): readonly SelfTestOutcome[] {
  const findings = data.texts('findings');
  const passed = data.lists('passed');
  return selfTestNames.flatMap((name) => {
    const why = findings[name];
    return why === undefined ? [] : [{ name, why, passed: passed[name]?.[0] === 1 }];
  });
}

/** Failed checks that no person has handled yet. */
const openOnes = (data: SessionData): readonly SelfTestOutcome[] => {
  const accepted = data.texts('left_as_they_are');
  return outcomesOf(data).filter(({ name, passed }) => !passed && accepted[name] === undefined);
};

const tableOf = (outcomes: readonly SelfTestOutcome[]): StepTable => ({
  title: 'Checks',
  columns: ['Check', 'Outcome', 'Measurement'],
  rows: outcomes.map(({ name, passed, why }) => [selfTests[name], passed ? 'passed' : 'failed', why]),
});

/** The state after some checks. */
const withOutcomes = (data: SessionData, outcomes: readonly SelfTestOutcome[]): Readonly<Record<string, Json>> => ({
  findings: { ...data.texts('findings'), ...Object.fromEntries(outcomes.map(({ name, why }) => [name, why])) },
  passed: {
    ...Object.fromEntries(Object.entries(data.lists('passed')).map(([name, values]) => [name, [...values]])),
    ...Object.fromEntries(outcomes.map(({ name, passed }) => [name, [passed ? 1 : 0]])),
  },
});

/** To the next failed check, or to the end. */
function nextStep(data: SessionData, changes: Readonly<Record<string, Json>>): Advance {
  const known = new SessionData({ ...data.values, ...changes });
  return openOnes(known).length > 0 ? goTo('failed_check', changes) : finish(known, changes);
}

function finish(data: SessionData, changes: Readonly<Record<string, Json>>): Advance {
  const outcomes = outcomesOf(data);
  const failed = outcomes.filter(({ passed }) => !passed);
  return {
    kind: 'finish',
    data: changes,
    files: [],
    result: () => ({
      title:
        failed.length === 0
          ? `All ${outcomes.length} checks have passed`
          : `${failed.length} of ${outcomes.length} checks have failed`,
      passed: outcomes.length - failed.length,
      failed: failed.map(({ name }) => name),
      table: tableOf(outcomes),
    }),
  };
}

const runs = (data: SessionData, only?: SelfTestName): Advance =>
  performAction(
    only === undefined ? 'Self-test' : selfTests[only],
    { kind: 'self_test', ...(only === undefined ? {} : { only }) },
    ({ outcomes }) => nextStep(data, withOutcomes(data, outcomes)),
  );

function failedStep(data: SessionData) {
  const [first, ...others] = openOnes(data);
  if (first === undefined) throw new Error('No check has failed.');
  const more = others.length === 0 ? '' : ` ${others.length} more ${others.length === 1 ? 'has' : 'have'} failed.`;
  return stepOf('failed_check', 'action', {
    title: `Failed: ${selfTests[first.name]}`,
    body: `${first.why} What to do: ${selfTestAdvice[first.name]} When you continue, the unit repeats this check.${more}`,
    metadata: {
      table: tableOf(outcomesOf(data)),
      actions: [{ label: 'Leave it is', inputs: { action: 'leave' } }],
    },
  });
}

function takeFailed(data: SessionData, inputs: StepInputs): Advance {
  const [first] = openOnes(data);
  if (first === undefined) throw new Error('No check has failed.');
  if (inputs.action !== 'leave') return runs(data, first.name);
  return nextStep(data, { left_as_they_are: { ...data.texts('left_as_they_are'), [first.name]: first.why } });
}

function advance({ stepId, data }: ProtocolState, inputs: StepInputs): Advance {
  switch (stepId) {
    case 'intro':
      return goTo('prepare');
    case 'prepare':
      return runs(data);
    case 'failed_check':
      return takeFailed(data, inputs);
    default:
      throw new Error(`The protocol has no step ${stepId}.`);
  }
}

/** The self-test with a person in front of the unit: the meaning of each failed check, and the remedy. */
export const selfTestProtocol: Protocol = {
  name: 'self_test',
  priority: 1,
  title: 'Self-test',
  description: 'Tests photodiodes, LED, heater and stirrer, with advice for each failure.',
  requirements: ['A vial with clear water or medium', 'A stir bar in it'],
  devices: () => [device],
  effect: () =>
    'The test lights, heats and stirs the vial that is in the unit for some minutes, and the jobs of the culture stay off until you start them. Take the culture out, and place a vial with water.',
  refusal: (_device, facts) => conflictingJobs(inTheWay, facts),
  start: () => ({ stepId: 'intro', data: { findings: {}, passed: {}, left_as_they_are: {} } }),
  step: ({ stepId, data }) => {
    if (stepId === 'failed_check') return failedStep(data);
    if (stepId === 'prepare')
      return stepOf(stepId, 'action', {
        title: 'Prepare the unit',
        body: 'Put a vial with clear water or medium and a stir bar into the unit, wipe it, and close the lid. When you continue, the unit drives the LED, the heater and the stirrer one after the other for some minutes; no pump runs.',
      });
    return stepOf('intro', 'info', {
      title: 'What will be done',
      body: `${selfTestNames.length} checks, one after the other. For each that fails you read what to do, and may do it again.`,
    });
  },
  advance,
};
