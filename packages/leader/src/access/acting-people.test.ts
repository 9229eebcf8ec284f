import { expect, it } from 'vitest';
import { ActingPeople, actingMs } from './acting-people.ts';

it('a PIN is valid for a minute, for one person at a tablet, with the token of the page', () => {
  let nowMs = 0;
  const acting = new ActingPeople({ monotonic: () => nowMs });
  const first = acting.begin('tablet', 'otto');
  expect(acting.at('tablet', first.csrfToken)?.personId).toBe('otto');
  expect(acting.at('other', first.csrfToken)).toBeUndefined();
  expect(acting.at('tablet', undefined)).toBeUndefined();
  const second = acting.begin('tablet', 'mia');
  expect(acting.at('tablet', first.csrfToken)).toBeUndefined();
  nowMs = actingMs - 1;
  expect(acting.at('tablet', second.csrfToken)?.personId).toBe('mia');
  nowMs = actingMs;
  expect(acting.at('tablet', second.csrfToken)).toBeUndefined();
});
