import { expect, it } from 'vitest';
import { experimentEndMs } from './experiment-end.ts';

it.each([
  ['goes on while it has units', { endedAtMs: null, hasUnits: true, newestMs: 5 }, null],
  ['has not begun while it has neither units nor readings', { endedAtMs: null, hasUnits: false, newestMs: null }, null],
  ['ended with its last reading when its units were unassigned', { endedAtMs: null, hasUnits: false, newestMs: 5 }, 5],
  ['ended with its last reading when it was ended', { endedAtMs: 9, hasUnits: false, newestMs: 5 }, 5],
  ['ended when a person ended it', { endedAtMs: 9, hasUnits: true, newestMs: null }, 9],
])('an experiment %s', (_what, facts, endMs) => {
  expect(experimentEndMs(facts)).toBe(endMs);
});
