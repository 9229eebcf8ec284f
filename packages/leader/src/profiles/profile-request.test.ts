import { expect, it } from 'vitest';
import { chosenUnits, profileRequest, refuseProfileArgs } from './profile-request.ts';

const refused = (...args: readonly string[]) => refuseProfileArgs(args, (run) => run === 'cut') !== undefined;

it('takes a file to verify, or a file and an experiment', () => {
  expect(profileRequest(['verify', 'a.yaml'])).toEqual({ verb: 'verify', file: 'a.yaml' });
  expect(profileRequest(['execute', 'a.yaml', 'exp 1'])).toEqual({
    verb: 'execute',
    file: 'a.yaml',
    experiment: 'exp 1',
    run: undefined,
  });
  expect([refused('verify', 'a.yaml'), refused('execute', 'a.yaml', 'exp 1')]).toEqual([false, false]);
});

it.each([
  [],
  ['execute'],
  ['execute', 'a.yaml'],
  ['execute', 'a.yaml', ''],
  ['execute', 'a.yaml', 'a/b#'],
  ['execute', 'a.yaml', 'exp 1', 'a run of nobody'],
  ['execute', 'a.yaml', 'exp 1', 'cut', 'more'],
  ['verify', 'a.yaml', 'exp 1'],
  ['dance', 'a.yaml', 'exp 1'],
])('takes nothing else: %j %j %j %j', (...args) => {
  expect(refused(...args)).toBe(true);
});

it('takes the name of a run only when that run was cut', () => {
  expect(refused('execute', 'a.yaml', 'exp 1', 'cut')).toBe(false);
});

it('applies to all units of the experiment, or to those that are chosen', () => {
  const members = ['a', 'b', 'c'];
  const of = (option: unknown) => members.filter(chosenUnits(option, members));
  expect([of(undefined), of(''), of('c, a')]).toEqual([members, members, ['a', 'c']]);
  expect(() => of('a,x')).toThrow(expect.objectContaining({ code: 'job_options_invalid' }));
});
