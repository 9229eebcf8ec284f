import type { JobOptions } from '@lcs/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OptionsInvalid, parseOptions } from './job-options.ts';

const declarations: JobOptions = {
  target_rpm: { type: 'float', min: 0, max: 1500 },
  skip_first_run: { type: 'boolean' },
  A: { type: 'float' },
  biomass_signal: { type: 'string', choices: ['auto', 'od'] },
  channels: { type: 'integer', multiple: true },
  name: { type: 'string' },
};

describe('the options of a start', () => {
  it.each([
    ['a dash for an underscore', { 'target-rpm': 400 }, { target_rpm: 400 }],
    ['numeric text', { target_rpm: '400' }, { target_rpm: 400 }],
    ['null as a flag', { 'skip-first-run': null }, { skip_first_run: true }],
    ['a word for a flag', { skip_first_run: 'False' }, { skip_first_run: false }],
    ['a list where several values are taken', { channels: [1, '2'] }, { channels: [1, 2] }],
    ['one value where several are taken', { channels: 3 }, { channels: [3] }],
    ['a number as text', { name: 5 }, { name: '5' }],
    ['nothing', {}, {}],
  ])('understand %s', (_, given, expected) => {
    expect(parseOptions(declarations, given)).toEqual(expected);
  });

  it.each([
    ['an unknown name', { speed: 4 }],
    ['another case', { a: 4 }],
    ['one option in two spellings', { 'target-rpm': 4, target_rpm: 4 }],
    ['no value where one is needed', { target_rpm: null }],
    ['a list where one value is taken', { target_rpm: [4] }],
    ['an object', { name: {} }],
    ['text for a number', { target_rpm: 'fast' }],
    ['a value outside the range', { target_rpm: 1501 }],
    ['a fraction for a whole number', { channels: [1.5] }],
    ['an unknown choice', { biomass_signal: 'x' }],
    ['a number for a flag', { skip_first_run: 7 }],
    ['a name every object has', { constructor: 1 }],
  ])('refuse %s', (_, given) => {
    expect(() => parseOptions(declarations, given)).toThrow(OptionsInvalid);
  });

  it('must have what is required', () => {
    expect(() => parseOptions({ automation_name: { type: 'string', required: true } }, {})).toThrow(
      expect.objectContaining({ option: 'automation_name' }),
    );
  });

  it('are read or refused, whatever is sent', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(declarations)), fc.string()), fc.anything()),
        (given) => {
          try {
            for (const name of Object.keys(parseOptions(declarations, given)))
              expect(declarations).toHaveProperty(name);
          } catch (error) {
            expect(error).toBeInstanceOf(OptionsInvalid);
          }
        },
      ),
    );
  });
});
