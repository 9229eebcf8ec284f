import { ApiError, ProblemError } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { mayRecover, problemText } from './problem.ts';

const refusal = new ProblemError('answer', new ApiError('experiment_name_taken', { experiment: 'a' }).body);
const trouble = new ProblemError('answer', new ApiError('internal_error', { requestId: '7' }).body);
const silence = ProblemError.noAnswer('/api/experiments', new TypeError('Failed to fetch'));

describe('what people are told about a failure', () => {
  it('is what the leader said', () => {
    expect(problemText(refusal)).toMatchObject({
      error: 'The experiment name is taken.',
      remediation: 'Pick another name.',
    });
  });

  it('says so when nothing answered', () => {
    expect(problemText(silence)).toMatchObject({ error: 'The leader did not answer.', code: 'no_answer' });
  });

  it('has a next step for everything', () => {
    for (const error of [refusal, trouble, silence, new Error('x'), 'x', undefined]) {
      expect(problemText(error).remediation).not.toBe('');
    }
  });
});

it('tries again by itself what may recover, and nothing that was refused', () => {
  expect([silence, trouble, refusal, new Error('x')].map(mayRecover)).toEqual([true, true, false, false]);
});
