import { describe, expect, it } from 'vitest';
import {
  type DosingEvent,
  type DosingOutcome,
  type DosingState,
  dosingStep,
  initialDosingState,
} from './dosing-states.ts';

const active = initialDosingState(false);
const resumed = initialDosingState(true);
const running: DosingState = { ...active, evaluation: 'running' };
const repeating: DosingState = { ...active, evaluation: 'repeating' };
const paused: DosingState = { ...active, job: { kind: 'paused', dueAtMs: undefined } };
const late: DosingState = { ...active, job: { kind: 'paused', dueAtMs: 0 } };

const step = (state: DosingState, event: DosingEvent, nowMs = 1000) => dosingStep(state, { ...event, nowMs });
const ended = (outcome: DosingOutcome): DosingEvent => ({ kind: 'evaluated', outcome });
const failed = (mustPause: boolean) => ended({ kind: 'failed', why: 'The bottle is empty.', mustPause });
const blocked: DosingEvent = { kind: 'blocked', why: 'The vial is full.' };
const pausing = ['report_failure', 'pause_pumps', 'pause_job'];

describe('dosing_automation as a state machine', () => {
  it.each<[string, DosingState, DosingEvent, Partial<DosingState>, readonly string[]]>([
    ['an evaluation is due', active, { kind: 'due' }, { evaluation: 'running' }, ['evaluate']],
    ['a reading comes', active, { kind: 'reading' }, { evaluation: 'running' }, ['evaluate']],
    ['a reading comes too soon', { ...active, quietUntilMs: 2000 }, { kind: 'reading' }, { evaluation: 'idle' }, []],
    ['a second one is due', running, { kind: 'due' }, { evaluation: 'running' }, []],
    ['a reading comes meanwhile', running, { kind: 'reading' }, { evaluation: 'repeating' }, []],
    ['it ends', running, ended({ kind: 'nothing' }), { evaluation: 'idle' }, []],
    ['it is repeated', repeating, ended({ kind: 'nothing' }), { evaluation: 'running' }, ['evaluate']],
    ['it needs a person', running, failed(true), { evaluation: 'idle' }, pausing],
    ['it needs a person, repeating', repeating, failed(true), { evaluation: 'idle' }, pausing],
    ['it fails', running, failed(false), { failures: 1 }, ['report_failure']],
    ['it fails for the third time', { ...running, failures: 2 }, failed(false), { failures: 3 }, pausing],
    ['it doses', { ...running, failures: 2 }, ended({ kind: 'dosed' }), { failures: 0 }, []],
    ['dosing is blocked', running, blocked, { evaluation: 'running' }, pausing],
    ['it is blocked during a pause', paused, blocked, paused, []],
    ['the job pauses', running, { kind: 'pause' }, { evaluation: 'running' }, ['pause_pumps']],
    ['an evaluation is due during a pause', paused, { kind: 'due' }, { job: { kind: 'paused', dueAtMs: 1000 } }, []],
    ['a reading comes during a pause', paused, { kind: 'reading' }, paused, []],
    ['the job resumes', { ...paused, failures: 2 }, { kind: 'resume' }, { failures: 0 }, ['resume_pumps']],
    ['it resumes soon', late, { kind: 'resume' }, { evaluation: 'running' }, ['resume_pumps', 'evaluate']],
    ['readings are checked', active, { kind: 'check_due' }, active, ['check_readings']],
    ['the gate is closed', resumed, { kind: 'due' }, { gate: 'reported', evaluation: 'idle' }, ['notify']],
    ['it was reported', { ...resumed, gate: 'reported' }, { kind: 'check_due' }, { gate: 'reported' }, []],
    ['it opens unnoticed', resumed, { kind: 'density_measured' }, { gate: 'open', evaluation: 'idle' }, []],
    [
      'it opens for an evaluation',
      { ...resumed, gate: 'reported' },
      { kind: 'density_measured' },
      { gate: 'open', evaluation: 'running' },
      ['notify', 'evaluate'],
    ],
  ])('%s', (_, state, event, next, effects) => {
    const after = step(state, event);
    expect(after.state).toMatchObject(next);
    expect(after.effects.map(({ kind }) => kind)).toEqual(effects);
  });

  it('does not make up for an evaluation that was due more than a minute ago', () => {
    expect(step(late, { kind: 'resume' }, 60_000).state.evaluation).toBe('running');
    expect(step(late, { kind: 'resume' }, 60_001).state.evaluation).toBe('idle');
  });

  it('is quiet after a dose, and longer after a pump was in use', () => {
    expect(step(running, { kind: 'dose_ended', settleMs: 5000 }).state.quietUntilMs).toBe(6000);
    const inUse = step(repeating, ended({ kind: 'pump_in_use', why: 'Another job has the pump.' }));
    expect(inUse.state).toMatchObject({ quietUntilMs: 31_000, evaluation: 'idle', failures: 0 });
    expect(inUse.effects.map(({ kind }) => kind)).toEqual(['report_failure']);
  });

  it('takes a reading that is missing early for no failure', () => {
    const missing = (isEarly: boolean) => ended({ kind: 'reading_missing', why: 'There is none yet.', isEarly });
    expect(step(running, missing(true)).effects[0]?.kind).toBe('notify_early');
    expect(step(running, missing(false))).toMatchObject({
      state: { failures: 0 },
      effects: [{ kind: 'report_failure' }],
    });
  });
});
