import { describe, expect, it } from 'vitest';
import {
  isRequestableState,
  type JobState,
  type JobStateEvent,
  type JobStateKind,
  jobTransitions,
  nextJobState,
} from './job-state.ts';

const states: Readonly<Record<JobStateKind, JobState>> = {
  init: { kind: 'init', sinceMs: 1 },
  ready: { kind: 'ready', sinceMs: 1 },
  sleeping: { kind: 'sleeping', sinceMs: 1 },
  disconnected: { kind: 'disconnected', sinceMs: 1, reason: 'stopped' },
  lost: { kind: 'lost', sinceMs: 1 },
};
const events: readonly JobStateEvent[] = [
  { kind: 'started' },
  { kind: 'started_asleep' },
  { kind: 'sleep' },
  { kind: 'wake' },
  { kind: 'end', reason: 'failed', error: 'no motor' },
  { kind: 'lose' },
];

describe('the states of a job', () => {
  it('follow the table for every state and event', () => {
    const walked = Object.values(states).map((state) => [
      state.kind,
      Object.fromEntries(events.map((event) => [event.kind, nextJobState(state, event, 2)?.kind])),
    ]);
    expect(Object.fromEntries(walked)).toEqual({
      init: {
        started: 'ready',
        started_asleep: 'sleeping',
        sleep: undefined,
        wake: undefined,
        end: 'disconnected',
        lose: 'lost',
      },
      ready: {
        started: undefined,
        started_asleep: undefined,
        sleep: 'sleeping',
        wake: undefined,
        end: 'disconnected',
        lose: 'lost',
      },
      sleeping: {
        started: undefined,
        started_asleep: undefined,
        sleep: undefined,
        wake: 'ready',
        end: 'disconnected',
        lose: 'lost',
      },
      disconnected: {
        started: undefined,
        started_asleep: undefined,
        sleep: undefined,
        wake: undefined,
        end: undefined,
        lose: undefined,
      },
      lost: {
        started: undefined,
        started_asleep: undefined,
        sleep: undefined,
        wake: undefined,
        end: undefined,
        lose: undefined,
      },
    });
  });

  it('remember since when, and why they ended', () => {
    expect(nextJobState(states.ready, { kind: 'end', reason: 'failed', error: 'no motor' }, 7)).toEqual({
      kind: 'disconnected',
      sinceMs: 7,
      reason: 'failed',
      error: 'no motor',
    });
  });

  it('have no way back from the end', () => {
    expect([jobTransitions.disconnected, jobTransitions.lost]).toEqual([{}, {}]);
  });

  it('can be wished for only where a wish makes sense', () => {
    const wished = ['init', 'ready', 'sleeping', 'disconnected', 'lost', 'Ready', ''].filter(isRequestableState);
    expect(wished).toEqual(['ready', 'sleeping', 'disconnected']);
  });
});
