import { checkSetting, type JobSettingDeclaration } from '@lcs/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publishedValue, settingFromText, settingText } from './setting-value.ts';

const taken = (value: unknown) => ({ ok: true, value, clamped: false });

describe('a value as text', () => {
  it('comes back from MQTT as it went out', () => {
    const cases = fc.oneof(
      fc.record({
        declaration: fc.constant<JobSettingDeclaration>({ type: 'float' }),
        value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
      }),
      fc.record({ declaration: fc.constant<JobSettingDeclaration>({ type: 'boolean' }), value: fc.boolean() }),
      fc.record({
        declaration: fc.constant<JobSettingDeclaration>({ type: 'string' }),
        value: fc.string({ minLength: 1 }),
      }),
      fc.record({
        declaration: fc.constant<JobSettingDeclaration>({ type: 'json' }),
        value: fc.dictionary(fc.string(), fc.integer()),
      }),
    );
    fc.assert(
      fc.property(cases, ({ declaration, value }) => {
        const back = checkSetting(declaration, settingFromText(declaration, settingText(value)) ?? null);
        // JSON has no negative zero.
        expect(back).toEqual(taken(Object.is(value, -0) ? 0 : JSON.parse(JSON.stringify(value))));
      }),
    );
  });

  it('writes True and False, and nothing for null', () => {
    expect([true, false, null, 500, 'x', { a: 1 }].map(settingText)).toEqual([
      'True',
      'False',
      '',
      '500',
      'x',
      '{"a":1}',
    ]);
  });

  it('is a number or a text in lists', () => {
    expect([true, false, 2.5, 'x', [1], { a: 1 }].map(publishedValue)).toEqual([1, 0, 2.5, 'x', '[1]', '{"a":1}']);
  });
});
