import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTags } from './tags.ts';

describe('checkTags', () => {
  it('trims, drops blank ones, and of equal ones keeps the first spelling in its place', () => {
    expect(checkTags([' Yeast ', '', 'ramp', 'YEAST', '   ', 'Ramp', 'media: M9'])).toEqual({
      ok: true,
      tags: ['Yeast', 'ramp', 'media: M9'],
    });
  });

  it('takes an empty list', () => {
    expect(checkTags([])).toEqual({ ok: true, tags: [] });
  });

  it('takes 50 tags of 100 characters, and counts after tidying', () => {
    const tags = Array.from({ length: 50 }, (_, i) => String(i).padStart(100, 'x'));
    expect(checkTags([...tags, ...tags, ' '])).toEqual({ ok: true, tags });
  });

  it('refuses the 51st tag, the 101st character and control characters', () => {
    const causes = [Array.from({ length: 51 }, (_, i) => `t${i}`), ['x'.repeat(101)], ['a\u001fb']].map(
      (tags) => checkTags(tags).ok,
    );
    expect(causes).toEqual([false, false, false]);
  });

  it('changes nothing when it tidies what is tidy', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 12 }), { maxLength: 60 }), (texts) => {
        const verdict = checkTags(texts);
        if (verdict.ok) expect(checkTags(verdict.tags)).toEqual(verdict);
      }),
    );
  });
});
