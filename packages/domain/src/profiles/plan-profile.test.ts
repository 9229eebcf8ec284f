import { expect, it } from 'vitest';
import { inBrackets, staircase, twoArms, warmUp, withActions } from '../testing/example-profiles.ts';
import { isStillExecuted } from './late-steps.ts';
import { parseProfile } from './parse-profile.ts';
import { type ProfileStep, planProfile, unsupportedParts } from './plan-profile.ts';

function profileOf(text: string) {
  const parsed = parseProfile(text);
  if (parsed.is !== 'valid') throw new Error(JSON.stringify(parsed.diagnostics));
  return parsed.profile;
}

const line = ({ atMs, unit, job, action }: ProfileStep) => `${atMs / 1000} ${action.type} ${job} ${unit}`;
const [a, b] = ['rx01', 'rx02'];

it('plans by time, then by kind, then as the file has it, common jobs first', () => {
  const text = `${withActions(
    '{type: log, t: 1m, options: {message: m}}',
    '{type: update, t: 1m, options: {target_rpm: 1}}',
    '{type: stop, t: 1m}',
    '{type: pause, t: 1m}',
    '{type: resume, t: 1m}',
    '{type: start, t: 1m}',
    '{type: start, t: 0, if: false}',
    '{type: start, t: 30s}',
  )}reactors:
  rx02: {jobs: {od_reading: {actions: [{type: start, t: 30s}]}}}
  rx09: {jobs: {od_reading: {actions: [{type: start, t: 30s}]}}}
`;
  const steps = planProfile(profileOf(text), { common: [a, b], own: [b] });
  expect(steps.map(line)).toEqual([
    '30 start stirring rx01',
    '30 start stirring rx02',
    '30 start od_reading rx02',
    ...['start', 'stop', 'pause', 'resume', 'update', 'log'].flatMap((type) => [
      `60 ${type} stirring rx01`,
      `60 ${type} stirring rx02`,
    ]),
  ]);
  expect(steps.map(({ position }) => position)).toEqual([...steps.keys()]);
});

it('names what needs values that are known only while the profile runs', () => {
  expect(unsupportedParts(profileOf(warmUp))).toEqual([
    { path: 'common.jobs.dosing_automation.actions[0]', feature: "waiting for a condition ('when')" },
  ]);
  expect(unsupportedParts(profileOf(staircase))).toMatchObject([{ feature: "a loop ('repeat')" }]);
  expect(unsupportedParts(profileOf(twoArms))).toMatchObject([
    { path: 'reactors.unit1.jobs.led_automation.actions[2].if' },
  ]);
  const text = withActions(
    `{type: start, t: 0, options: {a: ${inBrackets('1')}}, config_overrides: {b: ${inBrackets('2')}}}`,
    `{type: update, t: 0, options: {a: ${inBrackets('1')}}}`,
    `{type: log, t: 0, options: {message: ${inBrackets('1')}}}`,
    `{type: update, t: 0, options: {a: ${inBrackets('1', '2')}}}`,
  );
  expect(unsupportedParts(profileOf(text)).map(({ path }) => path.split('actions')[1])).toEqual([
    '[0].config_overrides',
    '[0].options',
    '[1].options',
    '[2].options.message',
  ]);
});

it('makes up for stops, for pauses that still hold and for messages, and for nothing else', () => {
  const hour = 3_600_000;
  const steps = planProfile(
    profileOf(
      withActions(
        '{type: start, t: 1h}',
        '{type: update, t: 2h, options: {target_rpm: 1}}',
        '{type: pause, t: 3h}',
        '{type: resume, t: 4h}',
        '{type: stop, t: 5h}',
        '{type: log, t: 6h, options: {message: m}}',
      ),
    ),
    { common: [a], own: [] },
  );
  const doneAt = (nowMs: number) =>
    steps.filter((step) => step.atMs <= nowMs && isStillExecuted(step, steps, nowMs)).map(({ action }) => action.type);
  expect(doneAt(hour + 60_000)).toEqual(['start']);
  expect(doneAt(hour + 60_001)).toEqual([]);
  expect(doneAt(3.5 * hour)).toEqual(['pause']);
  expect(doneAt(9 * hour)).toEqual(['stop', 'log']);
});
