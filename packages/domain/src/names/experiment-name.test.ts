import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkExperimentName } from './experiment-name.ts';

describe('checkExperimentName', () => {
  it('takes ordinary names and keeps them trimmed', () => {
    expect(checkExperimentName('  yeast-ramp 07.b (Ü)  ')).toEqual({ ok: true, name: 'yeast-ramp 07.b (Ü)' });
  });

  it.each(['#', '$', '%', '+', '/', '\\', '?'])('refuses %s anywhere, and says which character it was', (character) => {
    const verdict = checkExperimentName(`a${character}b`);
    expect(verdict).toEqual({ ok: false, cause: `'${character}' is not allowed.` });
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \t '],
    ['a line break inside', 'a\nb'],
    ['a null character', 'a\u0000b'],
    ['a delete character', 'a\u007fb'],
    ['a line separator', 'a\u2028b'],
    ['half a surrogate pair', 'a\ud800'],
    ['a current', 'current'],
    ['a current in capitals, with blanks', ' CuRRent '],
    ['the route latest', 'latest'],
    ['the route active', 'active'],
    ['the route assignment_count', 'assignment_count'],
    ['a dot segment', '.'],
    ['a parent segment', '..'],
    ['the testing prefix', '_testing_x'],
    ['the testing prefix behind blanks', '  _testing'],
  ])('refuses %s', (_, name) => {
    expect(checkExperimentName(name).ok).toBe(false);
  });

  it.each(['Latest', 'ACTIVE', 'currently', '_Testing', 'a_testing', '...', '.hidden'])('takes %s', (name) => {
    expect(checkExperimentName(name)).toEqual({ ok: true, name });
  });

  it('takes 199 characters and refuses 200, counted as a person does', () => {
    expect(checkExperimentName('x'.repeat(199)).ok).toBe(true);
    expect(checkExperimentName('x'.repeat(200)).ok).toBe(false);
    expect(checkExperimentName('🧫'.repeat(199)).ok).toBe(true);
    expect(checkExperimentName(` ${'x'.repeat(199)} `).ok).toBe(true);
  });

  it('keeps only names that fit one path segment and one topic level, and that stay as they are when checked again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 210 }), (text) => {
        const verdict = checkExperimentName(text);
        if (!verdict.ok) {
          expect(verdict.cause).not.toBe('');
          return;
        }
        const path = new URL(`http://leader/api/experiments/${encodeURIComponent(verdict.name)}`).pathname;
        expect(decodeURIComponent(path)).toBe(`/api/experiments/${verdict.name}`);
        expect(verdict.name).not.toMatch(/[#+/]/);
        expect(checkExperimentName(verdict.name)).toEqual(verdict);
      }),
      { numRuns: 500 },
    );
  });
});
