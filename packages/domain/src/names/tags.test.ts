import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateTags } from './tags.ts';

describe('checkTags', () => {
  it('trims tags, removes blank ones, and keeps the first spelling of equal ones in its place', () => {
    expect(validateTags([' Yeast ', '', 'ramp', 'YEAST', '   ', 'Ramp', 'media: M9'])).toEqual({
      ok: true,
      tags: ['Yeast', 'ramp', 'media: M9'],
    });
  });

  it('accepts an empty list', () => {
    expect(validateTags([])).toEqual({ ok: true, tags: [] });
  });

  it('accepts 50 tags of 100 characters, counted after normalisation', () => {
    const tags = Array.from({ length: 50 }, (_, i) => String(i).padStart(100, 'x'));
    expect(validateTags([...tags, ...tags, ' '])).toEqual({ ok: true, tags });
  });

  it('refuses the 51st tag, the 101st character and control characters', () => {
    const causes = [Array.from({ length: 51 }, (_, i) => `t${i}`), ['x'.repeat(101)], ['a\u001fb']].map(
      (tags) => validateTags(tags).ok,
    );
    expect(causes).toEqual([false, false, false]);
  });

  it('leaves normalised tags unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 12 }), { maxLength: 60 }), (texts) => {
        const result = validateTags(texts);
        if (result.ok) expect(validateTags(result.tags)).toEqual(result);
      }),
    );
  });
});
