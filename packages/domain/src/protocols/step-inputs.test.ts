import { describe, expect, it } from 'vitest';
import { fieldOf, InvalidInput } from './protocol.ts';
import { StepInputs } from './step-inputs.ts';

describe('inputs of a step', () => {
  const fields = [
    fieldOf({
      name: 'f',
      label: 'f',
      field_type: 'float',
      minimum: 0,
      max_error_msg: 'Too much.',
      maximum: 10,
      default: 1,
    }),
    fieldOf({ name: 'i', label: 'i', field_type: 'int' }),
    fieldOf({ name: 't', label: 't', field_type: 'string', default: 'usual' }),
    fieldOf({ name: 'b', label: 'b', field_type: 'bool', default: false }),
    fieldOf({ name: 'c', label: 'c', field_type: 'choice', options: ['x', 'y'], default: 'x' }),
    fieldOf({ name: 'l', label: 'l', field_type: 'float_list', default: [1] }),
  ];
  const read = (values: Readonly<Record<string, unknown>>) => new StepInputs(fields, values);

  it('are understood as people write them', () => {
    const inputs = read({ f: ' 2.5 ', i: 3.9, t: ' a ', b: 'Yes', c: ' y ', l: '1, 2.5' });
    expect([inputs.number('f'), inputs.number('i'), inputs.text('t')]).toEqual([2.5, 3, 'a']);
    expect([inputs.boolean('b'), inputs.choice('c'), inputs.numbers('l')]).toEqual([true, 'y', [1, 2.5]]);
    expect([read({ b: 0 }).boolean('b'), read({ b: 1 }).boolean('b'), read({ b: 'n' }).boolean('b')]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('fall back to what is usual, but for measured values', () => {
    const none = read({ f: '', t: null });
    expect([none.text('t'), none.boolean('b'), none.choice('c'), none.numbers('l')]).toEqual([
      'usual',
      false,
      'x',
      [1],
    ]);
    expect(() => none.number('f')).toThrow('f: It is missing.');
  });

  it.each([
    [{ f: -1 }, 'f: It must be at least 0.'],
    [{ f: 11 }, 'Too much.'],
  ])('beyond their bounds are refused at once (%#)', (values, message) => {
    expect(() => read(values)).toThrow(message);
  });

  it('that are nothing of their kind are refused', () => {
    const bad = read({ f: 'nan', i: true, t: 5, b: 'perhaps', c: 'z', l: ['1', 'x'] });
    for (const take of [
      () => bad.number('f'),
      () => bad.number('i'),
      () => bad.text('t'),
      () => bad.boolean('b'),
      () => bad.choice('c'),
      () => bad.numbers('l'),
      () => read({ l: [] }).numbers('l'),
    ])
      expect(take).toThrow(InvalidInput);
  });
});
