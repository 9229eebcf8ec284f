import { describe, expect, it } from 'vitest';
import { deepestJson, jsonLimitFault, mostJsonValues } from './json.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const list = (values: number) => `[${Array.from({ length: values - 1 }, () => '1').join(',')}]`;
const object = (fields: number) => `{${Array.from({ length: fields }, (_, index) => `"k${index}":1`).join(',')}}`;

describe('limits of JSON', () => {
  it.each([
    ['levels', nested(deepestJson)],
    ['items', list(mostJsonValues)],
    ['fields', object(mostJsonValues - 1)],
    ['commas and brackets of a text', JSON.stringify({ text: '\\",[{'.repeat(mostJsonValues) })],
    ['nothing', ''],
  ])('leave what stays within them: %s', (_, text) => {
    expect(jsonLimitFault(text)).toBeUndefined();
  });

  it.each([
    ['levels', nested(deepestJson + 1)],
    ['items', list(mostJsonValues + 2)],
    ['fields', object(mostJsonValues + 1)],
    ['empty objects', `[${'{},'.repeat(mostJsonValues / 2)}1]`],
    ['what is no JSON', ','.repeat(mostJsonValues)],
  ])('hold for %s', (_, text) => {
    expect(jsonLimitFault(text)).toBeDefined();
  });
});
