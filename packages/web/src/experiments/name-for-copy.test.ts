import { describe, expect, it } from 'vitest';
import { nameForCopy } from './name-for-copy.ts';

const free = new Set<string>();

describe('the name of a copy', () => {
  it('increases the number at its end, with as many digits', () => {
    expect(nameForCopy('growth-41', free)).toBe('growth-42');
    expect(nameForCopy('ramp 09', free)).toBe('ramp 10');
    expect(nameForCopy('run007', free)).toBe('run008');
  });

  it('adds a number where there is none', () => {
    expect(nameForCopy('growth', free)).toBe('growth 2');
  });

  it('is free', () => {
    expect(nameForCopy('growth-1', new Set(['growth-2', 'growth-3']))).toBe('growth-4');
  });

  it('is empty when it would be too long', () => {
    expect(nameForCopy('x'.repeat(199), free)).toBe('');
  });
});
