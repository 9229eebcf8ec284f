import Schema from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { staircase, twoArms, warmUp, withActions } from '../testing/example-profiles.ts';
import { profileLibrary } from './library/profile-library.ts';
import { parseProfile } from './parse-profile.ts';
import { profileSchema } from './profile-schema.ts';

const validator = Schema.Compile(profileSchema);
const isAccepted = (text: string): boolean => validator.Check(parse(text));
/** The structure is valid; the meaning need not be. */
const hasStructure = (text: string): boolean => parseProfile(text).is !== 'malformed';

const head = 'version: "1.0"\nexperiment_profile_name: p\n';
const log = (options: string) => withActions(`{type: log, t: 0, options: ${options}}`);
const loop = (more: string) => withActions(`{type: repeat, t: 0, every: 1h, ${more}}`);

const valid: readonly (readonly [name: string, text: string])[] = [
  ...profileLibrary.map(({ filename, text }) => [filename, text] as const),
  ['warm-up', warmUp],
  ['staircase', staircase],
  ['two arms', twoArms],
  ['a policy', `${head}late_actions: ask\n`],
  ['no policy', `${head}late_actions:\n`],
  ['empty parts', `${head}metadata:\nplugins:\ncommon:\nreactors:\ninputs:\n`],
  [
    'more empty parts',
    `${head}metadata: {author: ~, more: 1}\ncommon: {jobs: ~}\nreactors: {rx01: ~, rx02: {label: ~}}\n`,
  ],
  ['a job without actions', `${head}common: {jobs: {stirring: {actions: ~, description: ~}}}\n`],
  ['the alias', `${head}pioreactors: {rx01: {label: a, jobs: {}}}\n`],
  [
    'empty times',
    withActions('{type: start, t: ~, hours_elapsed: ~, if: ~, options: ~, args: ~, config_overrides: ~}'),
  ],
  ['arguments', withActions('{type: start, t: 0, args: [a, 1]}')],
  ['conditions', withActions('{type: when, t: 1, if: 1, wait_until: false, condition: a, actions: []}')],
  ['levels', log('{message: m, level: warning, colour: red}')],
  ['no level', log('{message: m, level: ~}')],
  ['an invalid meaning', withActions('{type: start, t: 1x}', '{type: stop}', '{type: repeat, t: 0, actions: []}')],
  [
    'nested waits',
    withActions('{type: when, t: 0, actions: [{type: when, t: 0, actions: [{type: repeat, actions: []}]}]}'),
  ],
];

it.each(valid)('schema and reader accept %s', (_, text) => {
  expect({ schema: isAccepted(text), reader: hasStructure(text) }).toEqual({ schema: true, reader: true });
});

describe('schema and reader refuse', () => {
  it.each([
    'just words',
    '[1, 2]',
    'version: "1.0"\n',
    'experiment_profile_name: p\n',
    'version: 1.0\nexperiment_profile_name: p\n',
    'version: "2.0"\nexperiment_profile_name: p\n',
    'version: "1.0"\nexperiment_profile_name: 7\n',
    'version: "1.0"\nexperiment_profile_name: ~\n',
    `${head}colour: red\n`,
    `${head}reactors: {}\npioreactors: {}\n`,
    `${head}metadata: 7\n`,
    `${head}metadata: {author: 7}\n`,
    `${head}metadata: {description: []}\n`,
    `${head}plugins: {}\n`,
    `${head}plugins: [~]\n`,
    `${head}plugins: [{name: a}]\n`,
    `${head}plugins: [{name: a, version: 1.2}]\n`,
    `${head}inputs: [1]\n`,
    `${head}late_actions: later\n`,
    `${head}late_actions: true\n`,
    `${head}common: {tasks: {}}\n`,
    `${head}common: {jobs: []}\n`,
    `${head}common: {jobs: {stirring: ~}}\n`,
    `${head}common: {jobs: {stirring: {}}}\n`,
    `${head}common: {jobs: {Stirring: {actions: []}}}\n`,
    `${head}common: {jobs: {stirring: {actions: {}}}}\n`,
    `${head}common: {jobs: {stirring: {actions: [], speed: 1}}}\n`,
    `${head}reactors: [rx01]\n`,
    `${head}reactors: {rx01: {label: 7}}\n`,
    `${head}reactors: {rx01: {name: a}}\n`,
    withActions('start'),
    withActions('~'),
    withActions('{t: 0}'),
    withActions('{type: dance, t: 0}'),
    withActions('{type: start, t: 0, speed: 1}'),
    withActions('{type: stop, t: 0, options: {}}'),
    withActions('{type: update, t: 0, args: []}'),
    withActions('{type: start, t: true}'),
    withActions('{type: start, t: [1h]}'),
    withActions('{type: start, hours_elapsed: 1h}'),
    withActions('{type: start, t: 0, if: []}'),
    withActions('{type: start, t: 0, options: 7}'),
    withActions('{type: start, t: 0, args: [true]}'),
    withActions('{type: start, t: 0, config_overrides: [1]}'),
    withActions('{type: log, t: 0}'),
    log('~'),
    log('{level: INFO}'),
    log('{message: 7}'),
    log('{message: m, level: loud}'),
    log('{message: m, level: Info}'),
    loop('while: true'),
    loop('actions: ~'),
    loop('actions: {}'),
    loop('max_hours: 2h, actions: []'),
    loop('actions: [{type: when, t: 0, wait_until: true, actions: []}]'),
    loop('actions: [{type: start, t: 0, speed: 1}]'),
    withActions('{type: when, t: 0, wait_until: true}'),
    withActions('{type: when, t: 0, wait_until: {}, actions: []}'),
    withActions('{type: when, t: 0, wait_until: true, actions: [{type: dance}]}'),
  ])('%s', (text) => {
    expect({ schema: isAccepted(text), reader: hasStructure(text) }).toEqual({ schema: false, reader: false });
  });
});
