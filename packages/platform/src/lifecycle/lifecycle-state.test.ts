import { describe, expect, it } from 'vitest';
import {
  type LifecycleEvent,
  type LifecycleEventKind,
  type LifecycleKind,
  type LifecycleState,
  lifecycleTransitions,
  nextLifecycleState,
} from './lifecycle-state.ts';

const error = new Error('the port is in use');
const states: Readonly<Record<LifecycleKind, LifecycleState>> = {
  idle: { kind: 'idle' },
  starting: { kind: 'starting' },
  running: { kind: 'running' },
  undoing: { kind: 'undoing', error },
  stopping: { kind: 'stopping' },
  stopped: { kind: 'stopped' },
  failed: { kind: 'failed', error },
};
const events: Readonly<Record<LifecycleEventKind, LifecycleEvent>> = {
  start: { kind: 'start' },
  started: { kind: 'started' },
  start_failed: { kind: 'start_failed', error },
  undone: { kind: 'undone' },
  stop: { kind: 'stop' },
  all_stopped: { kind: 'all_stopped' },
};

describe('the table of lifecycle transitions', () => {
  for (const state of Object.values(states)) {
    for (const event of Object.values(events)) {
      const target = lifecycleTransitions[state.kind][event.kind];
      if (target === undefined) {
        it(`rejects ${event.kind} in the state ${state.kind}`, () => {
          expect(() => nextLifecycleState(state, event)).toThrow();
        });
      } else {
        it(`leads from ${state.kind} by ${event.kind} to ${target}`, () => {
          expect(nextLifecycleState(state, event)).toEqual(states[target]);
        });
      }
    }
  }

  it('reaches every state from idle, and an end from every state', () => {
    const reached = new Set<LifecycleKind>(['idle']);
    for (const from of reached) for (const to of Object.values(lifecycleTransitions[from])) reached.add(to);
    expect([...reached].sort()).toEqual(Object.keys(states).sort());
    const ends = Object.values(states).filter(({ kind }) => Object.keys(lifecycleTransitions[kind]).length === 0);
    expect(ends.map(({ kind }) => kind)).toEqual(['stopped', 'failed']);
  });
});
