import { anyCharacter } from '@lcs/contract/testing';
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
        late_actions: null,
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

  const ofDosing = (action: string) => `${head}common: {jobs: {dosing_automation: {actions: [${action}]}}}\n`;

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
    ['schema.type', 'error', 'late_actions', `${head}¦late_actions: later\n`],
    ['schema.type', 'error', 'late_actions', `${head}¦late_actions: [run]\n`],
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
    ['job.unknown', 'warning', 'common.jobs.stiring', withActions(start).replace('stirring', '¦stiring')],
    [
      'automation.unknown',
      'warning',
      `${dosing}.options.automation_name`,
      ofDosing('{type: start, t: 0, options: {¦automation_name: turbidostaat}}'),
    ],
    [
      'option.unknown',
      'warning',
      `${first}.options.target_rmp`,
      withActions('{type: start, t: 0, options: {¦target_rmp: 500}}'),
    ],
    [
      'option.missing',
      'warning',
      dosing,
      ofDosing('¦{type: start, t: 0, options: {automation_name: turbidostat, biomass_signal: od}}'),
    ],
    ['option.missing', 'warning', dosing, ofDosing('¦{type: start, t: 0}')],
    [
      'setting.unknown',
      'warning',
      `${second}.options.target-rpm`,
      withActions(start, '{type: update, t: 1h, options: {¦target-rpm: 500}}'),
    ],
    [
      'setting.read_only',
      'warning',
      `${second}.options.measured_rpm`,
      withActions(start, '{type: update, t: 1h, options: {¦measured_rpm: 500}}'),
    ],
    ['value.type', 'warning', `${first}.options.use_rpm`, withActions('{type: start, t: 0, options: {¦use_rpm: 7}}')],
    [
      'value.out_of_range',
      'warning',
      `${second}.actions[0].options.duty_cycle`,
      withActions(
        start,
        '{type: repeat, t: 0, every: 1h, actions: [{type: update, t: 0, options: {target_rpm: 0, ¦duty_cycle: 101}}]}',
      ),
    ],
    [
      'lookup.unknown_job',
      'warning',
      `${first}.wait_until`,
      withActions('{type: when, t: 0, ¦wait_until: "1 > abs(w2:stiring:target_rpm)", actions: []}'),
    ],
    // Similar systems publish the levels of the lights; here an expression cannot read them.
    ['lookup.unknown_job', 'warning', `${first}.if`, withActions('{type: start, t: 0, ¦if: "::leds:intensity.B < 1"}')],
    [
      'lookup.unknown_setting',
      'warning',
      `${second}.options.message`,
      withActions(start, `{type: log, t: 0, options: {¦message: ${inBrackets('1', '::od_reading:od11.od')}}}`),
    ],
    [
      'expression.unknown_name',
      'warning',
      `${first}.options.target_rpm`,
      withActions(`{type: start, t: 0, options: {¦target_rpm: ${inBrackets('2 * rpm')}}}`),
    ],
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

describe('a name or value that the built-in jobs do not have', () => {
  const of = (job: string, ...actions: readonly string[]) =>
    parseProfile(withActions(...actions).replace('stirring:', `${job}:`)).diagnostics;
  const started = (job: string, options: string) => of(job, `{type: start, t: 0, options: {${options}}}`);

  it.each([
    ['job', of('stiring', start), 'stirring'],
    ['automation', started('temperature_automation', 'automation_name: termostat'), 'thermostat'],
    ['option', started('stirring', 'target_rmp: 500'), 'target_rpm'],
    [
      'option of the automation',
      started(
        'led_automation',
        'automation_name: light_dark_cycle, light_intensty: 1, light_duration_minutes: 1, dark_duration_minutes: 1',
      ),
      'light_intensity',
    ],
    ['channel', of('led_intensity', '{type: update, t: 0, options: {b: 1}}', '{type: start, t: 0}'), 'B'],
    [
      'job of an expression',
      of('stirring', '{type: start, t: 0, if: "::bioreacter:current_volume_ml > 1"}'),
      'bioreactor',
    ],
    [
      'input',
      parseProfile(
        `${withActions(`{type: start, t: 0, options: {target_rpm: ${inBrackets('stirr_rpm')}}}`)}\ninputs: {stir_rpm: 500}`,
      ).diagnostics,
      'stir_rpm',
    ],
    ['variable', of('stirring', '{type: start, t: 0, if: "hours_elapse > 1"}'), 'hours_elapsed'],
    ['setting of an expression', of('stirring', '{type: start, t: 0, if: "::job_name():$stat == ready"}'), '$state'],
    ['volume', of('stirring', '{type: start, t: 0, if: "::bioreactor:current_volume > 1"}'), 'current_volume_ml'],
  ])('gets the suggestion of the %s', (_, diagnostics, meant) => {
    expect(diagnostics.map(({ hint }) => hint)).toContain(`Did you mean ${meant}?`);
  });

  it('is a warning, for a plugin may have the job or automation: the profile is valid', () => {
    const job = withActions(
      '{type: start, t: 0, options: {bubbles: many}}',
      '{type: update, t: 1h, options: {x: 1}}',
    ).replace('stirring:', 'air_bubbler:');
    expect(parseProfile(job)).toMatchObject({
      is: 'valid',
      diagnostics: [{ code: 'job.unknown', severity: 'warning' }],
    });
    const automation = of(
      'led_automation',
      '{type: start, t: 0, options: {automation_name: disco, tempo: 120}}',
      '{type: update, t: 1h, options: {tempo: 90}, if: "::led_automation:tempo > 90"}',
    );
    expect(automation.map(({ code }) => code)).toEqual(['automation.unknown']);
  });

  it.each([
    ['a value that is an expression', started('stirring', `target_rpm: ${inBrackets('1 + 1')}`)],
    ['an option with dashes', started('stirring', 'target-rpm: 400')],
    ['a number as text', started('stirring', 'target_rpm: "400"')],
    ['a flag', started('stirring', 'use_rpm: null')],
    [
      'null for a setting that may be empty',
      of('stirring', start, '{type: update, t: 1s, options: {target_rpm: null}}'),
    ],
    [
      'a setting of the automation that the profile starts',
      of(
        'led_automation',
        '{type: start, t: 0, options: {automation_name: light_dark_cycle}}',
        '{type: update, t: 1s, options: {light_intensity: 5}}',
      ),
    ],
    [
      'look-ups of what is published',
      of(
        'stirring',
        `{type: start, t: 0, if: "::bioreactor:alt_media_fraction < 1 and w2:dosing_automation:automation_name == silent and ::job_name():$state == ready"}`,
      ),
    ],
  ])('is not %s', (_, diagnostics) => {
    expect(diagnostics).toEqual([]);
  });

  it('is a setting of another automation than the profile starts', () => {
    const update = '{type: update, t: 1s, options: {target_temperature: 30}}';
    const recording = '{type: start, t: 0, options: {automation_name: only_record_temperature}}';
    expect(of('temperature_automation', recording, update)).toMatchObject([{ code: 'setting.unknown' }]);
    const unknown = `{type: start, t: 0, options: {automation_name: ${inBrackets('which')}}}`;
    expect(of('temperature_automation', unknown, update)).toMatchObject([{ code: 'expression.unknown_name' }]);
  });

  it('is no word that is compared, chosen, or has a value in each run', () => {
    const conditions = [
      '::stirring:$state == ready',
      'ready != ::stirring:$state',
      'unit == w1 and hours_elapsed > 1',
      'if(action_count > 1, fast, slow) == fast',
    ];
    for (const condition of conditions)
      expect(of('stirring', `{type: start, t: 0, if: "${condition}"}`), condition).toEqual([]);
    const named = (condition: string) =>
      of('stirring', `{type: start, t: 0, if: "${condition}"}`).map(({ code }) => code);
    for (const condition of [
      'fast',
      'not fast',
      '-fast < 1',
      'min(fast, 1) < 1',
      'if(fast, 1, 2) == 1',
      '1 == 2 * fast',
    ])
      expect(named(condition), condition).toEqual(['expression.unknown_name']);
    expect(named('fast and fast or __proto__')).toHaveLength(2);
  });

  it('is an automation that is not even a text', () => {
    expect(started('led_automation', 'automation_name: {toString: 1}')).toMatchObject([{ code: 'automation.unknown' }]);
  });

  it('is a start value that the job limits', () => {
    expect(started('temperature_automation', 'automation_name: thermostat, target_temperature: 95')).toMatchObject([
      { code: 'value.out_of_range', message: 'target_temperature is limited to 78, not 95.' },
    ]);
  });

  it('is a value of an input, and not an expression that is known during the run only', () => {
    const action = `{type: start, t: 0, options: {automation_name: thermostat, target_temperature: ${inBrackets('celsius + 1')}}}`;
    const text = withActions(action).replace('stirring:', 'temperature_automation:');
    const found = (more: string) =>
      parseProfile(`${text}\n${more}`).diagnostics.filter(({ code }) => code === 'value.out_of_range');
    expect(found('inputs: {celsius: 30}')).toEqual([]);
    expect(found('inputs: {celsius: 89}')).toMatchObject([{ message: 'target_temperature is limited to 78, not 90.' }]);
  });
});

describe('the list of diagnostics', () => {
  it('has the errors, however many warnings come before them', () => {
    const warnings = Array.from({ length: 300 }, () => '{type: start, t: 0, options: {target_rmp: 1}}');
    const parsed = parseProfile(withActions(...warnings, '{type: stop, t: 1x}'));
    expect(parsed.is).toBe('invalid');
    expect(parsed.diagnostics.length).toBe(200);
    expect(parsed.diagnostics.at(-1)).toMatchObject({ code: 'time.invalid' });
  });

  it('is short and made soon for a long text of misspelt names', () => {
    const names = Array.from({ length: 12_000 }, (_, index) => `target_r${index}: 1`).join(', ');
    const parsed = parseProfile(withActions(`{type: start, t: 0, options: {${names}, ${'x'.repeat(5_000)}: 1}}`));
    expect(JSON.stringify(parsed.diagnostics).length).toBeLessThan(200 * 1_000);
  });
});

describe('parsing', () => {
  it('never throws on a tree of the keys of the language, misspelt here and there, and reports little', () => {
    const misspelt = (words: readonly string[]) =>
      fc
        .tuple(
          fc.constantFrom(...words),
          fc.nat(20),
          fc.constantFrom('', '', '', 'x', '_', '[', '.', '__proto__'),
          fc.nat(1),
        )
        .map(([word, at, put, cut]) => (put === '' ? word : word.slice(0, at) + put + word.slice(at + cut)));
    const value = fc.oneof(
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      misspelt([
        'thermostat',
        'turbidostat',
        '1h',
        inBrackets('::stirring:target_rpm').slice(1, -1),
        '::od_reading:od1.od > 1',
        'unit():job_name():$state',
      ]),
      fc.array(fc.nat(), { maxLength: 2 }),
    );
    const options = fc.dictionary(
      misspelt(['target_rpm', 'automation_name', 'target_biomass', 'duration', 'B', 'interval', '$state', 'message']),
      value,
      { maxKeys: 4 },
    );
    const { action } = fc.letrec<{ action: unknown }>((tie) => ({
      action: fc.dictionary(
        fc.constantFrom(
          'type',
          'type',
          't',
          'if',
          'options',
          'every',
          'while',
          'wait_until',
          'max_time',
          'args',
          'actions',
        ),
        fc.oneof(
          { weight: 3, arbitrary: value },
          { weight: 3, arbitrary: options },
          fc.array(tie('action'), { maxLength: 3 }),
        ),
      ),
    }));
    const typed = fc
      .record({
        type: misspelt(['start', 'update', 'log', 'stop', 'repeat', 'when']),
        t: fc.constantFrom<unknown>(0, '1h', '1x'),
        more: fc.oneof(
          fc.record({ options }),
          fc.record(
            {
              actions: fc.array(
                fc.oneof(action, fc.record({ type: fc.constant('update'), t: fc.constant(1), options })),
                { maxLength: 3 },
              ),
              every: value,
              wait_until: value,
            },
            { requiredKeys: ['actions'] },
          ),
        ),
      })
      .map(({ type, t, more }) => ({ type, t, ...more }));
    const jobs = fc.dictionary(
      misspelt(['stirring', 'dosing_automation', 'temperature_automation', 'led_intensity']),
      fc.record({ actions: fc.array(typed, { maxLength: 4 }) }),
      { maxKeys: 3 },
    );
    const profile = fc.record({
      version: fc.constant('1.0'),
      experiment_profile_name: fc.constant('p'),
      common: fc.record({ jobs }),
      reactors: fc.dictionary(fc.string({ maxLength: 5 }), fc.record({ jobs }), { maxKeys: 2 }),
    });
    fc.assert(
      fc.property(profile, (tree) => {
        const { diagnostics } = parseProfile(JSON.stringify(tree));
        expect(diagnostics.length).toBeLessThanOrEqual(200);
        for (const { line, column, message, hint = '' } of diagnostics) {
          expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
          expect(message.length + hint.length).toBeLessThan(1_500);
        }
      }),
      { numRuns: 100 },
    );
  });

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
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), yaml), (text) => {
        const parsed = parseProfile(text);
        expect(parsed.is === 'valid' || parsed.diagnostics.length > 0).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('never throws when one place of a valid profile is another', () => {
    fc.assert(
      fc.property(fc.nat(warmUp.length), fc.string({ maxLength: 6 }), fc.nat(8), (at, put, cut) => {
        const parsed = parseProfile(warmUp.slice(0, at) + put + warmUp.slice(at + cut));
        for (const { line, column } of parsed.diagnostics) expect(Math.min(line, column)).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 200 },
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
