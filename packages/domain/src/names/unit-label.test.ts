import { describe, expect, it } from 'vitest';
import { validateUnitLabel } from './unit-label.ts';

describe('checkUnitLabel', () => {
  it('trims a label', () => {
    expect(validateUnitLabel('  Control 1 ')).toEqual({ ok: true, label: 'Control 1' });
  });

  it.each(['', '   ', '\t\n'])('accepts a blank label (%j), which removes the label', (text) => {
    expect(validateUnitLabel(text)).toEqual({ ok: true, label: null });
  });

  it('accepts 100 characters, and refuses 101 and control characters', () => {
    expect(validateUnitLabel('é'.repeat(100)).ok).toBe(true);
    expect(validateUnitLabel('é'.repeat(101)).ok).toBe(false);
    expect(validateUnitLabel('a\u0007b').ok).toBe(false);
    expect(validateUnitLabel('a\udc00').ok).toBe(false);
  });
});
