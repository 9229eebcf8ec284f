import { describe, expect, it } from 'vitest';
import { checkUnitLabel } from './unit-label.ts';

describe('checkUnitLabel', () => {
  it('keeps a label trimmed', () => {
    expect(checkUnitLabel('  Control 1 ')).toEqual({ ok: true, label: 'Control 1' });
  });

  it.each(['', '   ', '\t\n'])('takes a blank one (%j) as the wish to remove it', (text) => {
    expect(checkUnitLabel(text)).toEqual({ ok: true, label: null });
  });

  it('takes 100 characters, refuses 101 and control characters', () => {
    expect(checkUnitLabel('é'.repeat(100)).ok).toBe(true);
    expect(checkUnitLabel('é'.repeat(101)).ok).toBe(false);
    expect(checkUnitLabel('a\u0007b').ok).toBe(false);
    expect(checkUnitLabel('a\udc00').ok).toBe(false);
  });
});
