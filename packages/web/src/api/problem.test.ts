import { ApiError, ProblemError } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { mayRecover, problemText } from './problem.ts';

const refusal = new ProblemError('answer', new ApiError('experiment_name_taken', { experiment: 'a' }).body);
const trouble = new ProblemError('answer', new ApiError('internal_error', { requestId: '7' }).body);
const silence = ProblemError.noAnswer('/api/experiments', new TypeError('Failed to fetch'));

describe('the text about a failure', () => {
  it('is that of the leader', () => {
    expect(problemText(refusal)).toMatchObject({
      error: 'The experiment name is taken.',
      remediation: 'Pick another name.',
    });
  });

  it('has its own sentences when no answer came', () => {
    expect(problemText(silence)).toMatchObject({ error: 'The leader did not answer.', code: 'no_answer' });
  });

  it('has a next step for everything', () => {
    for (const error of [refusal, trouble, silence, new Error('x'), 'x', undefined]) {
      expect(problemText(error).remediation).not.toBe('');
    }
  });
});

it('retries what may recover, and nothing that was refused', () => {
  expect([silence, trouble, refusal, new Error('x')].map(mayRecover)).toEqual([true, true, false, false]);
});
