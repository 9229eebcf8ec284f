import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSetting } from './check-job-value.ts';
import type { JobSettingDeclaration } from './job-declaration.ts';

const rpm: JobSettingDeclaration = { type: 'float', min: 0, max: 5000, outside: 'clamp', unit: 'RPM' };
const interval: JobSettingDeclaration = { type: 'float', min: 0.1, nullable: true, unit: 's' };
const taken = (value: unknown, clamped = false) => ({ ok: true, value, clamped });

describe('a requested value of a setting', () => {
  it.each([
    ['a number', rpm, 400, taken(400)],
    ['decimal text', rpm, '400.5', taken(400.5)],
    ['text with a power', rpm, '4e2', taken(400)],
    ['a value above a clamped range', rpm, 6000, taken(5000, true)],
    ['a value below a clamped range', rpm, -1, taken(0, true)],
    ['null where that is a value', interval, null, taken(null)],
    ['the words for true', { type: 'boolean' }, 'On', taken(true)],
    ['the words for false', { type: 'boolean' }, 'n', taken(false)],
    ['0 for false', { type: 'boolean' }, 0, taken(false)],
    ['a choice', { type: 'string', choices: ['auto', 'od'] }, 'od', taken('od')],
    ['any JSON', { type: 'json' }, { a: [1] }, taken({ a: [1] })],
  ] as const)('is taken: %s', (_, declaration, wanted, verdict) => {
    expect(checkSetting(declaration, wanted)).toEqual(verdict);
  });

  it.each([
    ['text that is no number', rpm, 'fast'],
    ['infinity', rpm, 'Infinity'],
    ['a power beyond all numbers', rpm, '1e999'],
    ['hexadecimal', rpm, '0x10'],
    ['the empty text', rpm, ''],
    ['a boolean for a number', rpm, true],
    ['null where that is no value', rpm, null],
    ['a value outside a refused range', interval, 0],
    ['a fraction for a whole number', { type: 'integer' }, 1.5],
    ['a word that is neither true nor false', { type: 'boolean' }, 'maybe'],
    ['2 for a boolean', { type: 'boolean' }, 2],
    ['an unknown choice', { type: 'string', choices: ['auto'] }, 'od'],
    ['a number for a text', { type: 'string' }, 3],
  ] as const)('is refused: %s', (_, declaration, wanted) => {
    expect(checkSetting(declaration, wanted)).toMatchObject({ ok: false });
  });

  it('is never outside its range once taken', () => {
    fc.assert(
      fc.property(fc.double(), fc.constantFrom<'clamp' | 'refuse'>('clamp', 'refuse'), (wanted, outside) => {
        const verdict = checkSetting({ type: 'float', min: -2, max: 3, outside }, wanted);
        if (!verdict.ok) return;
        expect(verdict.value).toBeGreaterThanOrEqual(-2);
        expect(verdict.value).toBeLessThanOrEqual(3);
        expect(verdict.clamped).toBe(verdict.value !== wanted);
      }),
    );
  });
});
