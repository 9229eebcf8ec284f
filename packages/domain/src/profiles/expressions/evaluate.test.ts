import type { Json } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { EvaluationError, type ExpressionScope, evaluate, isTruthy, publishedIn } from './evaluate.ts';
import { parseExpression } from './parse-expression.ts';

const scope: ExpressionScope = {
  unit: 'rx01',
  experiment: 'exp 1',
  job: 'stirring',
  hoursElapsed: 1.5,
  actionCount: 3,
  inputs: { target: 1.8, on: false, name: 'x', unit_count: 2 },
  random: () => 0.25,
  published: (unit, job) => {
    const all: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
      'rx01:stirring': { target_rpm: 500, $state: 'ready', measured_rpm: { measured_rpm: 501.5 } },
      'pio-01:leds': { intensity: { B: 20 } },
    };
    const found = all[`${unit}:${job}`];
    if (found === undefined) throw new EvaluationError(`${unit}:${job} has no values.`);
    return found;
  },
};
const result = (text: string): Json => evaluate(parseExpression(text), scope);

it.each<readonly [string, Json]>([
  ['1 + 2 * 3', 7],
  ['-2 + 3', 1],
  ['-2 ** 2', -4],
  ['2 ** 3 ** 2', 512],
  ['1 - 2 - 3', -4],
  ['2 ** -1', 0.5],
  ['-7 % 3', 2],
  ['7 % -3', -2],
  ['1 >= 2 and true', false],
  ['not 1 >= 2', true],
  ['0.1 + 0.2 == 0.3', false],
  ["'a' < 'b'", true],
  ["'a' + 'b'", 'ab'],
  ["1 == '1'", false],
  ['ready', 'ready'],
  ['target', 1.8],
  ['on', false],
  ['unit_count', 2],
  ['unit', 'rx01'],
  ['hours_elapsed', 1.5],
  ['action_count', 3],
  ['unit()', 'rx01'],
  ['experiment()', 'exp 1'],
  ['job_name()', 'stirring'],
  ['hours_elapsed() * 60', 90],
  ['random()', 0.25],
  ['abs(-3)', 3],
  ['min(3, 1, 2)', 1],
  ['max(target, 2)', 2],
  ['if(on, 1, 2)', 2],
  ['0 or name', 'x'],
  ['1 and 0', 0],
  ['::stirring:target_rpm', 500],
  ['::stirring:$state == ready', true],
  ['unit():job_name():measured_rpm.measured_rpm > 501', true],
  ['rx01:stirring:measured_rpm', { measured_rpm: 501.5 }],
  ['rx01:stirring:measured_rpm == ::stirring:measured_rpm', true],
  ['"pio-01":leds:intensity.B', 20],
])('%s is %j', (text, value) => {
  expect(result(text)).toEqual(value);
});

it.each([
  '1 / 0',
  '1 % 0',
  '1e', // not a number of the language
  '10 ** 400',
  "1 + 'a'",
  'true + 1',
  "'a' < 1",
  '-ready',
  'abs(ready)',
  '::stirring:nothing',
  '::stirring:target_rpm.part',
  '::stirring:measured_rpm.rpm',
  '::stirring:constructor',
  '::stirring:measured_rpm.__proto__',
  'rx09:stirring:target_rpm',
])('%s has no value', (text) => {
  expect(() => result(text)).toThrow();
});

describe('what is not needed is not evaluated', () => {
  it.each<readonly [string, Json]>([
    ['false and rx09:stirring:x', false],
    ['true or rx09:stirring:x', true],
    ['if(true, 1, rx09:stirring:x)', 1],
    ['if(false, 1 / 0, 2)', 2],
  ])('%s', (text, value) => {
    expect(result(text)).toEqual(value);
  });
});

it('names of the prototype are words', () => {
  for (const word of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) expect(result(word)).toBe(word);
});

it('lists the jobs that it reads, each once', () => {
  const read = publishedIn(parseExpression('::a:x + unit():a:y > max(rx02:b:z, -::job:q) and not ::job_name:w'), {
    unit: 'rx01',
    job: 'stirring',
  });
  expect(read).toEqual([
    { unit: 'rx01', job: 'a' },
    { unit: 'rx02', job: 'b' },
    { unit: 'rx01', job: 'job' },
    { unit: 'rx01', job: 'job_name' },
  ]);
});

it('is true for words and numbers other than 0, and for structured values', () => {
  expect([0, '', false, null].map(isTruthy)).toEqual([false, false, false, false]);
  expect([1, -0.5, 'false', true, {}, []].map(isTruthy)).toEqual([true, true, true, true, true, true]);
});
