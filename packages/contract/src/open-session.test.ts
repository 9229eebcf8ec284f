import { expect, it } from 'vitest';
import { ApiError } from './errors.ts';
import { openSessionIn } from './open-session.ts';
import { ProblemError } from './problem-error.ts';

it('finds the session that keeps another from beginning in its refusal', () => {
  const session_id = '0f8fad5b-d9cb-469f-a165-70867728950e';
  const about = { device: 'od', session: session_id, protocol: 'standards', changed: '2026-01-01T00:00:00.000Z' };
  const { body } = new ApiError('session_exists', about, [{ session_id }]);
  expect(openSessionIn(new ProblemError('answer', body))).toBe(session_id);
  expect(openSessionIn(new ProblemError('answer', { ...body, code: 'session_refused' }))).toBeUndefined();
  expect(openSessionIn(new ProblemError('answer', { ...body, diagnostics: [] }))).toBeUndefined();
  expect(openSessionIn(new Error('no'))).toBeUndefined();
});
