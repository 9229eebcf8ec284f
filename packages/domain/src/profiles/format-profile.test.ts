import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { staircase, twoArms, warmUp } from '../testing/example-profiles.ts';
import { damaged, tree } from '../testing/hostile-profiles.ts';
import { formatProfile } from './format-profile.ts';
import { profileLibrary } from './library/profile-library.ts';
import { parseProfile } from './parse-profile.ts';

/** `LCS_PROFILE_INPUTS=1000000` is the long form. */
const numRuns = Math.ceil(Number(process.env.LCS_PROFILE_INPUTS ?? 240) / 3);

function formatted(text: string): string {
  const result = formatProfile(text);
  if (result.is !== 'formatted') throw new Error(JSON.stringify(result.parsed.diagnostics));
  return result.text;
}
const profileOf = (text: string) => {
  const parsed = parseProfile(text);
  return JSON.stringify('profile' in parsed ? parsed.profile : parsed.diagnostics);
};
const commentsOf = (text: string) => (text.match(/#\d+ comment/g) ?? []).sort();

const untidy = `# yaml-language-server: $schema=experiment-profile.schema.json
version: '1.0'   # the language

# the name
experiment_profile_name:   p
reactors:
    # about one
    unit1:
        jobs: {stirring: {actions: [
          # first
          {t: 1h, type: start, options: {a: 1.50, b: &x [1,2]}}, # tail
          {type: update, options: {c: *x}, t: 2h}
          ]}}
        label: &l one
        # end of unit1

    unit2:
        label: *l
        jobs:
          stirring:
            # about actions
            actions:
            -   t: 1h   # when
                # the type
                type: stop
            - {type: repeat, actions: [{type: stop, t: 0}], every: 1h, t: 0, while: "::stirring:target_rpm > 400"}
# the end
`;

describe('the canonical form of a profile', () => {
  it('orders keys, indents, and keeps comments, anchors, quotes and blank lines', () => {
    expect(formatted(untidy)).toBe(`# yaml-language-server: $schema=experiment-profile.schema.json
# the name
experiment_profile_name: p
version: "1.0" # the language
reactors:
  # about one
  unit1:
    label: &l one
    jobs:
      stirring:
        actions:
          # first
          - type: start
            t: 1h
            options: {a: 1.50, b: &x [1, 2]}
            # tail
          - {type: update, t: 2h, options: {c: *x}}
    # end of unit1

  unit2:
    label: *l
    jobs:
      stirring:
        # about actions
        actions:
          # the type
          - type: stop
            t: 1h # when
          - type: repeat
            t: 0
            every: 1h
            while: "::stirring:target_rpm > 400"
            actions:
              - {type: stop, t: 0}

# the end
`);
  });

  it('is that of the profiles of the library', () => {
    for (const { filename, text } of profileLibrary) expect([filename, formatted(text)]).toEqual([filename, text]);
  });

  it('keeps the order of keys when an alias would come before its anchor', () => {
    const text = 'version: "1.0"\nreactors:\n    a: {jobs: &j {}}\ncommon: {jobs: *j}\nexperiment_profile_name: p\n';
    expect(formatted(text)).toBe(
      'version: "1.0"\nreactors:\n  a:\n    jobs: &j {}\ncommon:\n  jobs: *j\nexperiment_profile_name: p\n',
    );
  });

  it('is not made of a text with faults', () => {
    expect(formatProfile('a: [')).toMatchObject({ is: 'refused', parsed: { is: 'malformed' } });
    expect(formatProfile(warmUp.replace('30m', '30x'))).toMatchObject({ is: 'refused', parsed: { is: 'invalid' } });
    expect(formatProfile('')).toMatchObject({ is: 'refused', parsed: { is: 'empty' } });
  });

  it('means the same, has all comments, and does not change again, wherever comments and blank lines are', () => {
    const texts = [warmUp, staircase, twoArms, untidy, ...profileLibrary.map(({ text }) => text)];
    const additions = fc.array(
      fc.record({ at: fc.nat(200), kind: fc.constantFrom('line', 'indented', 'tail', 'blank') }),
      { maxLength: 8 },
    );
    let unchanged = 0;
    fc.assert(
      fc.property(fc.constantFrom(...texts), additions, (base, added) => {
        const lines = base.split('\n');
        for (const [index, { at, kind }] of added.entries()) {
          const line = at % lines.length;
          if (kind === 'tail') lines[line] += ` #${index} comment`;
          else lines.splice(line, 0, kind === 'blank' ? '' : `${kind === 'line' ? '' : '      '}#${index} comment`);
        }
        const text = lines.join('\n');
        if (parseProfile(text).is !== 'valid') return;
        const once = formatted(text);
        expect(profileOf(once)).toBe(profileOf(text));
        expect(commentsOf(once)).toEqual(commentsOf(text));
        expect(formatted(once)).toBe(once);
        if (base === untidy && once === text) unchanged += 1;
      }),
      { numRuns },
    );
    expect(unchanged).toBe(0);
  });

  it('is made of any valid text, and nothing else', { timeout: 3_600_000 }, () => {
    fc.assert(
      fc.property(
        fc.oneof(
          damaged,
          tree.map((value) => JSON.stringify(value) ?? ''),
        ),
        (text) => {
          const result = formatProfile(text);
          expect(result.is === 'formatted').toBe(parseProfile(text).is === 'valid');
          if (result.is !== 'formatted') return;
          expect(profileOf(result.text)).toBe(profileOf(text));
          expect(formatted(result.text)).toBe(result.text);
        },
      ),
      { numRuns },
    );
  });
});
