import { describe, expect, it } from 'vitest';
import { runProgram } from '../testing/run-program.ts';
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

it.each([
  [['stop', '--pumps', '--unit', 'rx01']],
  [['stop', '--everything', '--experiment', 'yeast']],
  [['stop', 'stirring', '--pumps']],
])('%j is refused before anything is sent: it would stop more than is named', async (words) => {
  // Port 9 refuses connections: only a command that was sent would name it.
  const { code, err } = await runProgram([...words, '--url', 'http://127.0.0.1:9']);
  expect(code).toBe(1);
  expect(err).not.toContain('127.0.0.1:9');
});
