import { ApiError, ProblemError } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { mayRecover, problemText } from './problem.ts';

const refusal = new ProblemError('answer', new ApiError('experiment_name_taken', { experiment: 'a' }).body);
const serverError = new ProblemError('answer', new ApiError('internal_error', { requestId: '7' }).body);
const noAnswer = ProblemError.noAnswer('/api/experiments', new TypeError('Failed to fetch'));

describe('the text about a failure', () => {
  it('is that of the leader', () => {
    expect(problemText(refusal)).toMatchObject({
      error: 'The experiment name is taken.',
      remediation: 'Pick another name.',
    });
  });

  it('has no names of programs, times for programs or addresses of the API', () => {
    const exists = new ApiError('session_exists', {
      device: 'waste_pump',
      session: '7',
      protocol: 'priming',
      changed: '2026-05-02T09:14:03.120Z',
    });
    const { error, cause, remediation } = problemText(new ProblemError('answer', exists.body));
    expect([error, cause, remediation].join(' ')).not.toMatch(/[a-z]_[a-z]|\dT\d|POST|\/api|sessions\//);
    const gone = new ApiError('worker_not_found', { unit: 'u1' });
    // What only programs can do is replaced.
    expect(problemText(new ProblemError('answer', gone.body)).remediation).not.toBe('');
    expect(problemText(new ProblemError('answer', gone.body)).remediation).not.toContain('/api');
  });

  it('has its own sentences when no answer came', () => {
    expect(problemText(noAnswer)).toMatchObject({ error: 'The leader did not answer.', code: 'no_answer' });
  });

  it('has a next step for everything', () => {
    for (const error of [refusal, serverError, noAnswer, new Error('x'), 'x', undefined]) {
      expect(problemText(error).remediation).not.toBe('');
    }
  });
});

it('retries what may recover, and nothing that was refused', () => {
  expect([noAnswer, serverError, refusal, new Error('x')].map(mayRecover)).toEqual([true, true, false, false]);
});
