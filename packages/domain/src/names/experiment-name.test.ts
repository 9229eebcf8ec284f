import { anyCharacter } from '@lcs/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateExperimentName } from './experiment-name.ts';

describe('checkExperimentName', () => {
  it('accepts ordinary names and trims them', () => {
    expect(validateExperimentName('  yeast-ramp 07.b (Ü)  ')).toEqual({ ok: true, name: 'yeast-ramp 07.b (Ü)' });
  });

  it.each(['#', '$', '%', '+', '/', '\\', '?'])('refuses %s anywhere, and names the character', (character) => {
    const result = validateExperimentName(`a${character}b`);
    expect(result).toEqual({ ok: false, cause: expect.stringContaining(`'${character}'`) });
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
    expect(validateExperimentName(name).ok).toBe(false);
  });

  it.each(['Latest', 'ACTIVE', 'currently', '_Testing', 'a_testing', '...', '.hidden'])('accepts %s', (name) => {
    expect(validateExperimentName(name)).toEqual({ ok: true, name });
  });

  it('accepts 199 characters and refuses 200, counted as code points', () => {
    expect(validateExperimentName('x'.repeat(199)).ok).toBe(true);
    expect(validateExperimentName('x'.repeat(200)).ok).toBe(false);
    expect(validateExperimentName('🧫'.repeat(199)).ok).toBe(true);
    expect(validateExperimentName(` ${'x'.repeat(199)} `).ok).toBe(true);
  });

  it('accepts only names that fit one path segment and one topic level, and that are valid unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 210 }), (text) => {
        const result = validateExperimentName(text);
        if (!result.ok) {
          expect(result.cause).not.toBe('');
          return;
        }
        const path = new URL(`http://leader/api/experiments/${encodeURIComponent(result.name)}`).pathname;
        expect(decodeURIComponent(path)).toBe(`/api/experiments/${result.name}`);
        expect(result.name).not.toMatch(/[#+/]/);
        expect(validateExperimentName(result.name)).toEqual(result);
      }),
      { numRuns: 500 },
    );
  });
});
