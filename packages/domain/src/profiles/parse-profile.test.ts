import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inBrackets, staircase, twoArms, warmUp, withActions } from '../testing/example-profiles.ts';
import { profileDiagnosticCodes } from './diagnostic.ts';
import { parseProfile } from './parse-profile.ts';

const start = '{type: start, t: 0}';
const first = 'common.jobs.stirring.actions[0]';
const second = 'common.jobs.stirring.actions[1]';
const head = 'version: "1.0"\nexperiment_profile_name: p\n';

describe('a profile', () => {
  it.each([
    ['warm-up', warmUp],
    ['staircase', staircase],
    ['two arms', twoArms],
  ])('of the documentation is valid, without warnings: %s', (_, text) => {
    expect(parseProfile(text)).toMatchObject({ is: 'valid', diagnostics: [] });
  });

  it('has every field, with its default', () => {
    const text = withActions('{type: stop, t: 1s}', start, '{type: log, hours_elapsed: 2, options: {message: m}}');
    expect(parseProfile(text)).toMatchObject({
      profile: {
        version: '1.0',
        experiment_profile_name: 'p',
        metadata: { author: null, description: null },
        plugins: [],
        reactors: {},
        inputs: {},
        common: {
          jobs: {
            stirring: {
              description: null,
              actions: [
                { type: 'stop', hours_elapsed: null, t: '1s', if: true },
                { type: 'start', hours_elapsed: null, t: 0, if: true, options: {}, args: [], config_overrides: {} },
                { type: 'log', hours_elapsed: 2, t: null, if: true, options: { message: 'm', level: 'NOTICE' } },
              ],
            },
          },
        },
      },
    });
  });

  it('accepts pioreactors instead of reactors, and reports faults in it', () => {
    const of = (t: string) =>
      `${head}pioreactors:\n  rx01:\n    jobs:\n      stirring:\n        actions:\n          - {type: start, t: ${t}}\n`;
    expect(parseProfile(of('1h'))).toMatchObject({ is: 'valid', profile: { reactors: { rx01: { label: null } } } });
    expect(parseProfile(of('1x')).diagnostics).toMatchObject([{ code: 'time.invalid', line: 8, column: 27 }]);
  });

  it('takes more than it knows in metadata, plugins and the options of a log, and nowhere else', () => {
    const open = `${head}metadata: {lab: 7}\nplugins: [{name: a, version: 1.2.3, home: x}]\ninputs: {any: {thing: [1]}}\n`;
    expect(parseProfile(open).is).toBe('valid');
    expect(parseProfile(withActions('{type: log, t: 0, options: {message: m, colour: red}}')).is).toBe('valid');
    expect(parseProfile(`${head}colour: red\n`).diagnostics).toMatchObject([{ path: 'colour', line: 3, column: 1 }]);
  });

  it('reports nothing when it is empty', () => {
    for (const text of ['', '\n# later\n', '~']) expect(parseProfile(text).is).toBe('empty');
  });

  it('keeps names that mean something to the program as names', () => {
    const parsed = parseProfile(`${head}inputs: {__proto__: {polluted: 1}, constructor: 2}\n`);
    expect(parsed.is === 'valid' && Object.keys(parsed.profile.inputs)).toEqual(['__proto__', 'constructor']);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

it('shows only the beginning of a long invalid value', () => {
  const [fault] = parseProfile('word '.repeat(1000)).diagnostics;
  expect(fault?.message).toMatch(/"word .{0,60}…\.$/);
});

describe('a diagnostic', () => {
  const dosing = 'common.jobs.dosing_automation.actions[0]';
  const withDosing = (options: string) =>
    `${head}common: {jobs: {dosing_automation: {actions: [¦{type: start, t: 0, options: {automation_name: turbidostat, ${options}}}]}}}\n`;

  /** The mark ¦ stands before the place that a diagnostic must name. */
  const cases: readonly (readonly [code: string, severity: string, path: string, text: string])[] = [
    ['yaml.syntax', 'error', '', 'a: [¦'],
    ['yaml.syntax', 'error', '', 'a: ¦*nobody'],
    ['yaml.limit', 'error', '', `a: &a 1\n${'- *a\n'.repeat(1001)}`.replace(/^a: /, '- ').replace(/\*a\n$/, '¦*a\n')],
    ['schema.duplicate', 'error', '', `${head}\n¦version: "1.0"\n`],
    ['schema.duplicate', 'error', 'pioreactors', `${head}reactors: {}\n¦pioreactors: {}\n`],
    ['schema.version', 'error', 'version', '¦version: 1.0\nexperiment_profile_name: p\n'],
    ['schema.missing', 'error', '', '¦version: "1.0"\n'],
    ['schema.type', 'error', '', '¦just words'],
    ['schema.type', 'error', 'metadata', `${head}¦metadata: 7\n`],
    ['schema.unknown_key', 'error', `${first}.speed`, withActions('{type: start, ¦speed: 3, t: 0}')],
    ['schema.action_type', 'error', `${first}.type`, withActions('¦{type: dance, t: 0}')],
    [
      'schema.action_type',
      'error',
      `${first}.actions[0]`,
      withActions('{type: repeat, t: 0, every: 1h, actions: [¦{type: when, t: 0, wait_until: true, actions: []}]}'),
    ],
    ['action.time.missing', 'error', first, withActions('¦{type: start}')],
    ['action.time.conflict', 'error', first, withActions('¦{type: start, t: 0, hours_elapsed: 0}')],
    ['time.invalid', 'error', `${second}.t`, withActions(start, '{type: stop,  ¦t: 1x}')],
    ['time.negative', 'error', `${first}.t`, withActions('{type: start, ¦t: -1}')],
    ['time.non_positive', 'error', `${first}.every`, withActions('{type: repeat, t: 0, ¦every: 0s, actions: []}')],
    [
      'time.non_positive',
      'error',
      `${first}.max_time`,
      withActions('{type: repeat, t: 0, every: 1s, ¦max_time: 0, actions: []}'),
    ],
    ['when.condition.missing', 'error', first, withActions('¦{type: when, t: 0, actions: []}')],
    [
      'when.condition.ambiguous',
      'warning',
      first,
      withActions('¦{type: when, t: 0, condition: true, wait_until: true, actions: []}'),
    ],
    ['repeat.every.missing', 'error', first, withActions('¦{type: repeat, t: 0, actions: []}')],
    [
      'repeat.every.ambiguous',
      'warning',
      first,
      withActions('¦{type: repeat, t: 0, every: 1h, repeat_every_hours: 1, actions: []}'),
    ],
    [
      'repeat.unreachable_action',
      'warning',
      `${first}.actions[0]`,
      withActions('{type: repeat, t: 0, every: 1h, actions: [¦{type: log, t: 61m, options: {message: m}}]}'),
    ],
    ['expression.syntax', 'error', `${first}.if`, withActions('{type: start, ¦if: 1 +, t: 0}')],
    ['plugin.version.invalid', 'error', 'plugins[0].version', `${head}plugins: [{name: a,  ¦version: new}]\n`],
    ['job.ordering.before_start', 'warning', first, withActions('¦{type: stop, t: 0}', '{type: start, t: 1s}')],
    ['job.biomass_signal.unnamed', 'warning', dosing, withDosing('target_biomass: 0.5')],
    ['job.biomass_signal.unnamed', 'warning', dosing, withDosing('target_biomass: 0.5, biomass_signal: auto')],
  ];

  it.each(cases)('%s (%s) names its place: %s', (code, severity, path, marked) => {
    const before = marked.slice(0, marked.indexOf('¦')).split('\n');
    const [line, column] = [before.length, (before.at(-1) ?? '').length + 1];
    expect(parseProfile(marked.replace('¦', '')).diagnostics).toContainEqual(
      expect.objectContaining({ code, severity, path, line, column }),
    );
  });

  it('of a scale is not made where the signal is named', () => {
    const named = withDosing('target_biomass: 0.5, biomass_signal: od').replace('¦', '');
    expect(parseProfile(named).diagnostics).toEqual([]);
  });

  it('of each code has been shown', () => {
    expect(new Set(cases.map(([code]) => code))).toEqual(new Set(profileDiagnosticCodes));
  });

  it('that warns does not keep the profile from being valid', () => {
    const parsed = parseProfile(withActions('{type: stop, t: 0}'));
    expect(parsed).toMatchObject({ is: 'valid', diagnostics: [{ severity: 'warning' }] });
  });

  it.each([
    ['options of a start', `{type: start, t: 0, options: {a: ${inBrackets('1 +')}}}`, 'options.a'],
    ['overrides of a start', `{type: start, t: 0, config_overrides: {a: ${inBrackets(')')}}}`, 'config_overrides.a'],
    ['options of an update', `{type: update, t: 0, options: {a: ${inBrackets('')}}}`, 'options.a'],
    ['the second in a message', `{type: log, t: 0, options: {message: ${inBrackets('1', '1 2')}}}`, 'options.message'],
    ['while', '{type: repeat, t: 0, every: 1h, while: 1 <, actions: []}', 'while'],
    ['condition', '{type: when, t: 0, condition: nobody(), actions: []}', 'condition'],
    ['wait_until', `{type: when, t: 0, wait_until: ${inBrackets('a b')}, actions: []}`, 'wait_until'],
    ['inside a when', '{type: when, t: 0, wait_until: true, actions: [{type: start, t: 0, if: "<"}]}', 'actions[0].if'],
  ])('names an expression that cannot be read: %s', (_, action, path) => {
    const { diagnostics } = parseProfile(withActions(action));
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'expression.syntax', path: `common.jobs.stirring.actions[0].${path}` },
    ]);
  });
});

describe('parsing', () => {
  it('never throws, whatever the text', () => {
    const words = [
      'version',
      ':',
      ' ',
      '\n',
      '- ',
      '"1.0"',
      '{',
      '}',
      '[',
      ']',
      '&a',
      '*a',
      '<<',
      't',
      '$',
      '{{',
      '}}',
      '1h',
      'actions',
      '!x',
      '|',
      '>',
      '%',
      "'",
      '---',
    ];
    const yaml = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), yaml), (text) => {
        const parsed = parseProfile(text);
        expect(parsed.is === 'valid' || parsed.diagnostics.length > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws when one place of a valid profile is another', () => {
    fc.assert(
      fc.property(fc.nat(warmUp.length), fc.string({ maxLength: 6 }), fc.nat(8), (at, put, cut) => {
        const parsed = parseProfile(warmUp.slice(0, at) + put + warmUp.slice(at + cut));
        for (const { line, column } of parsed.diagnostics) expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });

  it('is not taken down by deep nesting or by aliases of aliases', () => {
    expect(parseProfile('['.repeat(20_000)).is).toBe('malformed');
    expect(parseProfile(`${head}inputs: {a: ${'['.repeat(5_000)}${']'.repeat(5_000)}}\n`).is).toBe('malformed');
    const bomb = Array.from(
      { length: 12 },
      (_, i) =>
        `  k${i}: &k${i} [${
          i === 0
            ? 'x'
            : Array(9)
                .fill(`*k${i - 1}`)
                .join(', ')
        }]`,
    );
    expect(parseProfile(`${head}inputs:\n${bomb.join('\n')}\n`).is).toBe('malformed');
    expect(parseProfile(`# ${'x'.repeat(262_144)}\n${head}`).is).toBe('malformed');
  });
});
