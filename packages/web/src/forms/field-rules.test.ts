import { expect, it } from 'vitest';
import { numberFault, tagsOf } from './field-rules.ts';

it('ends a tag at each comma, and keeps each tag once', () => {
  expect(tagsOf(['evo,test', ' batch , evo', ','])).toEqual(['evo', 'test', 'batch']);
});

it('names why a number cannot be used, and keeps one beyond the limits as it is', () => {
  const percent = { isRequired: true, unit: '%', min: 0, max: 100 };
  const faults = ['', '1,234.5.6', Number.NaN, 150, -3].map((value) => numberFault(percent, value));
  expect(faults.map((fault) => fault !== null)).toEqual([true, true, true, true, true]);
  expect([numberFault(percent, 100), numberFault({ ...percent, isRequired: false }, '')]).toEqual([null, null]);
});
