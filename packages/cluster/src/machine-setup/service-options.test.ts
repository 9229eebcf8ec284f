import { describe, expect, it } from 'vitest';
import { optionsIn, optionValue, runsWith, withOptions, withValues } from './service-options.ts';

const name = 'LCS_UNIT_OPTIONS';

describe('options of a service', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['', undefined],
    ['# LCS_UNIT_OPTIONS="--x"', undefined],
    ['LCS_UNIT_OPTIONS="--name rx1  --port 5000"', ['--name', 'rx1', '--port', '5000']],
    ["LCS_UNIT_OPTIONS='--verbose'\n", ['--verbose']],
    ['LCS_UNIT_OPTIONS=--verbose', ['--verbose']],
    ['LCS_UNIT_OPTIONS="--a"\nLCS_UNIT_OPTIONS="--b"', ['--b']],
    ['LCS_UNIT_OPTIONS=""', []],
  ])('%j are %j', (text, words) => {
    expect(optionsIn(text, name)).toEqual(words);
  });

  it('are replaced in their line, and other lines stay', () => {
    expect(withOptions('# mine\nLCS_UNIT_OPTIONS="--a"\nX=1\n', name, ['--b', '1'])).toBe(
      '# mine\nLCS_UNIT_OPTIONS="--b 1"\nX=1\n',
    );
    expect(withOptions('X=1', name, ['--b'])).toBe('X=1\nLCS_UNIT_OPTIONS="--b"\n');
    expect(withOptions('', name, ['--b'])).toBe('LCS_UNIT_OPTIONS="--b"\n');
  });

  it.each(['a"b', "a'b", 'a\\b', 'a b', 'a\nX=1', 'a$b'])('are not written with %j', (word) => {
    expect(() => withOptions('', name, ['--leader', word])).toThrow(RangeError);
  });

  it('have values', () => {
    const words = ['--name', 'rx1', '--verbose', '--port=5000'];
    expect(['--name', '--verbose', '--port', '--code'].map((option) => optionValue(words, option))).toEqual([
      'rx1',
      '',
      '5000',
      undefined,
    ]);
    expect(withValues(words, { '--name': 'rx2', '--port': '5000', '--code': undefined, '--host': '0.0.0.0' })).toEqual([
      ...['--verbose', '--port=5000', '--name', 'rx2', '--host', '0.0.0.0'],
    ]);
    expect(withValues(words, { '--name': undefined, '--verbose': undefined })).toEqual(['--port=5000']);
    expect(withValues(words, { '--name': 'rx1' })).toEqual(words);
  });

  it('are in force in a process that has them all', () => {
    const running = ['node', 'lcs.js', 'unit', '--name', 'rx1', '--code', 'ABCD'];
    expect(runsWith(running, ['--name', 'rx1'])).toBe(true);
    expect(runsWith(running, ['--name', 'rx2'])).toBe(false);
    expect(runsWith(running, [])).toBe(true);
  });
});
