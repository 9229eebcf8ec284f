import { describe, expect, it } from 'vitest';
import { defaultSpeedGains } from './speed-controller.ts';
import {
  initialStirrerState,
  type StirrerEvent,
  type StirrerInput,
  type StirrerParameters,
  type StirrerState,
  stirrerStep,
} from './stirrer-states.ts';

const parameters: StirrerParameters = {
  mode: 'control',
  targetRpm: 500,
  givenDuty: undefined,
  initialDuty: 30,
  gains: defaultSpeedGains,
  calibratedDuty: () => undefined,
};
type Situation = Pick<StirrerInput, 'nowMs' | 'optical'>;
const situation: Situation = { nowMs: 0, optical: { phase: 'off' } };

const step = (state: StirrerState, event: StirrerEvent, now: Partial<Situation> = {}) =>
  stirrerStep(state, { ...event, ...situation, ...now }, parameters);

const initial = initialStirrerState(parameters);
const run = (state: StirrerState, ...events: readonly StirrerEvent[]) =>
  events.reduce((reached, event) => step(reached, event).state, state);

const kicking = run(initial, { kind: 'resume' });
const settling = run(kicking, { kind: 'timer' });
const searching = run(settling, { kind: 'timer' });
const holding = run(kicking, { kind: 'set_duty', duty: 30 });
const checking = run(holding, { kind: 'due', by: 'schedule' });
const paused = run(holding, { kind: 'pause' });
const coupled: StirrerState = { ...checking, coupled: { duty: 30, rpm: 500 } };
const states = { initial, kicking, settling, searching, holding, checking, paused };

describe('the stirrer as a state machine', () => {
  it.each<[keyof typeof states, StirrerEvent, StirrerState['activity']['kind']]>([
    ['initial', { kind: 'resume' }, 'kicking'],
    ['initial', { kind: 'set_target', rpm: 300 }, 'starting'],
    ['paused', { kind: 'resume' }, 'kicking'],
    ['paused', { kind: 'set_target', rpm: 300 }, 'paused'],
    ['paused', { kind: 'set_duty', duty: 20 }, 'paused'],
    ['paused', { kind: 'timer' }, 'paused'],
    ['kicking', { kind: 'timer' }, 'settling'],
    ['kicking', { kind: 'due', by: 'schedule' }, 'kicking'],
    ['settling', { kind: 'timer' }, 'searching'],
    ['settling', { kind: 'due', by: 'schedule' }, 'settling'],
    ['settling', { kind: 'set_target', rpm: 0 }, 'holding'],
    ['searching', { kind: 'measured', rpm: 300 }, 'settling'],
    ['searching', { kind: 'measured', rpm: 0 }, 'holding'],
    ['searching', { kind: 'measurement_failed' }, 'holding'],
    ['searching', { kind: 'set_target', rpm: 300 }, 'settling'],
    ['holding', { kind: 'due', by: 'schedule' }, 'checking'],
    ['holding', { kind: 'set_target', rpm: 300 }, 'settling'],
    ['holding', { kind: 'set_duty', duty: 20 }, 'holding'],
    ['checking', { kind: 'measured', rpm: 490 }, 'holding'],
    ['checking', { kind: 'measured', rpm: 0 }, 'kicking'],
    ['checking', { kind: 'measurement_failed' }, 'holding'],
    ['checking', { kind: 'due', by: 'schedule' }, 'checking'],
    ['initial', { kind: 'pause' }, 'paused'],
    ['kicking', { kind: 'pause' }, 'paused'],
    ['settling', { kind: 'pause' }, 'paused'],
    ['searching', { kind: 'pause' }, 'paused'],
    ['checking', { kind: 'pause' }, 'paused'],
  ])('%s, %o: %s', (from, event, kind) => {
    expect(step(states[from], event).state.activity.kind).toBe(kind);
  });

  it('starts with a kick, and switches the motor off when it pauses', () => {
    expect(step(initial, { kind: 'resume' }).effects).toEqual([
      { kind: 'record', unit: 'RPM', from: 0, to: 500 },
      { kind: 'publish', setting: 'duty_cycle', value: 30 },
      { kind: 'drive', duty: 100 },
      { kind: 'timer', ms: 500 },
    ]);
    expect(step(kicking, { kind: 'pause' }).effects).toContainEqual({ kind: 'drive', duty: 0 });
  });

  it('measures a second time after an implausible change, and then acts on it', () => {
    const again = step(coupled, { kind: 'measured', rpm: 700 });
    expect(again.state.activity).toEqual({ kind: 'checking', attempt: 2 });
    const { state, effects } = step(again.state, { kind: 'measured', rpm: 700 });
    expect(state.activity.kind).toBe('kicking');
    expect(effects).toContainEqual({ kind: 'notify', notice: { code: 'bar_loose', rpm: 700 } });
    const later = step({ ...state, activity: { kind: 'checking', attempt: 2 } }, { kind: 'measured', rpm: 700 });
    expect(later.effects[0]).toMatchObject({ kind: 'report', flags: ['bar_loose'] });
  });

  it('holds the speed of a lost bar, and pauses the job after a stall that kicks do not end', () => {
    const kicks = [0, 1, 2];
    const lost = step(
      { ...coupled, recouplingKicksMs: kicks, activity: { kind: 'checking', attempt: 2 } },
      { kind: 'measured', rpm: 700 },
    );
    expect(lost.state.activity.kind).toBe('holding');
    expect(lost.effects).toContainEqual({ kind: 'notify', notice: { code: 'bar_lost', rpm: 700 } });
    expect(run(lost.state, { kind: 'due', by: 'schedule' }, { kind: 'measured', rpm: 700 }).activity.kind).toBe(
      'checking',
    );
    const stalled = step({ ...checking, stallKicksMs: kicks }, { kind: 'measured', rpm: 0 });
    expect(stalled.effects.map(({ kind }) => kind)).toEqual(['report', 'notify', 'pause_job']);
  });

  it('postpones a kick until an optical reading is over', () => {
    const optical = { phase: 'begun', nextAtMs: 5000, intervalMs: 5000, wantsDark: true } as const;
    const { state, effects } = step(checking, { kind: 'measured', rpm: 0 }, { optical });
    expect(state.activity.kind).toBe('postponing');
    expect(effects).toContainEqual({ kind: 'timer', ms: 2000 });
    expect(run(state, { kind: 'timer' }).activity.kind).toBe('kicking');
  });

  it('discards a measurement during which the duty changed, and never measures twice at a time', () => {
    const changed = run(checking, { kind: 'set_target', rpm: 300 });
    expect(changed).toMatchObject({ activity: { kind: 'settling' }, sensor: 'counting' });
    expect(step(changed, { kind: 'timer' }).effects).toEqual([{ kind: 'timer', ms: 200 }]);
    const { state, effects } = step(changed, { kind: 'measured', rpm: 490 });
    expect(state).toMatchObject({ activity: { kind: 'settling' }, sensor: 'free' });
    expect(effects).toEqual([{ kind: 'report', rpm: 490, flags: [] }]);
  });

  it('neither publishes nor records what changes in quiet periods', () => {
    const quiet = run(holding, { kind: 'set_changes', changes: 'unreported' });
    const { state, effects } = step(quiet, { kind: 'set_target', rpm: 0 });
    expect([state.activity.kind, effects]).toEqual(['holding', [{ kind: 'drive', duty: 0 }]]);
    expect(run(state, { kind: 'due', by: 'schedule' }).activity.kind).toBe('holding');
    expect(run(state, { kind: 'due', by: 'quiet_period' }).activity.kind).toBe('checking');
  });
});
