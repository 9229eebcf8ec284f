import { ApiError, ProblemError } from '@lcs/contract';
import { expect, it } from 'vitest';
import { fieldFaults } from './field-faults.ts';

const problem = (error: ApiError) => new ProblemError('answer', error.body);

it('finds the field of a refusal among those of the form', () => {
  const refused = problem(new ApiError('session_input_invalid', { cause: 'It is missing.', field: 'dc' }));
  expect(fieldFaults(refused, ['hz', 'dc'])).toEqual({ dc: 'It is missing.' });
  expect(fieldFaults(refused, ['hz'])).toEqual({});
  expect(fieldFaults(problem(new ApiError('session_input_invalid', { cause: 'No line.' })), ['hz'])).toEqual({});
  expect(fieldFaults(new Error('x'), ['hz'])).toEqual({});
  expect(fieldFaults(null, ['hz'])).toEqual({});
});

it('takes the first fault of each field where a refusal has several', () => {
  const faults = [{ parameter: 'low', message: 'Too high.' }, { parameter: 'low', message: 'Again.' }, 'x'];
  const rule = problem(new ApiError('alarm_rule_invalid', { cause: 'Too high.', parameter: 'low' }, faults));
  expect(fieldFaults(rule, ['low', 'high'])).toEqual({ low: 'Too high.' });
  const several = [...faults, { field: 'url', message: 'Not http.' }];
  const channel = problem(new ApiError('alarm_channel_invalid', { cause: 'Not http.', field: 'url' }, several));
  expect(fieldFaults(channel, ['url', 'low'])).toEqual({ low: 'Too high.', url: 'Not http.' });
});
