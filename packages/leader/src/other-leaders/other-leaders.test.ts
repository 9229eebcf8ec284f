import type { LeaderSummary } from '@lcs/contract';
import { expect, it } from 'vitest';
import { withAnswer } from './other-leaders.ts';

const fault = { error: 'x', cause: 'y', remediation: 'z' };
const summary = (units: number): LeaderSummary => ({
  leader: 'north',
  version: '26.12.0',
  units,
  units_online: units,
  jobs_running: 0,
  alarms_open: 0,
  worst_alarm: null,
});

it('keeps the start of a state that stays, and the last summary of a leader that is away', () => {
  const first = withAnswer({ is: 'waiting' }, { summary: summary(1) }, 1_000);
  const second = withAnswer(first, { summary: summary(2) }, 2_000);
  expect(second).toEqual({ is: 'reachable', sinceMs: 1_000, summary: summary(2) });
  const away = withAnswer(second, { fault }, 3_000);
  const longer = withAnswer(away, { fault: { ...fault, cause: 'other' } }, 4_000);
  expect(longer).toEqual({ is: 'unreachable', sinceMs: 3_000, fault: { ...fault, cause: 'other' }, last: summary(2) });
  expect(withAnswer(longer, { summary: summary(3) }, 5_000)).toMatchObject({ is: 'reachable', sinceMs: 5_000 });
  expect(withAnswer({ is: 'waiting' }, { fault }, 6_000)).toMatchObject({ is: 'unreachable', last: undefined });
});
