import { describe, expect, it } from 'vitest';
import { parseValue } from './jobs.ts';

describe('a value that was typed', () => {
  it.each([
    ['400', 400],
    ['-1.5', -1.5],
    ['1e3', 1000],
    ['true', true],
    ['null', null],
    ['thermostat', 'thermostat'],
    ['', ''],
    ['0x10', '0x10'],
  ])('%s', (text, value) => {
    expect(parseValue(text)).toBe(value);
  });
});
