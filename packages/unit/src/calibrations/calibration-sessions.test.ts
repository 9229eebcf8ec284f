import { ApiError } from '@lcs/contract';
import type { ProtocolFacts } from '@lcs/domain';
import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { CalibrationSessions } from './calibration-sessions.ts';
import type { SessionStore, StoredSession } from './session-store.ts';

const facts: ProtocolFacts = {
  unit: 'rx01',
  nowMs: 0,
  runningJobs: [],
  pluginPumpJobs: [],
  pumpChannel: () => '2',
  pumpHz: 250,
  longestPumpRunS: 100,
  photodiodes: [],
  irLedIntensity: 80,
  initialRpm: 500,
  initialDuty: 30,
  stirrerHz: 200,
  model: 'reactor_20ml',
  calibrationExists: () => false,
  estimatorExists: () => false,
  fusedEstimators: [],
  experiment: 'exp1',
  activeForOd: [],
};

/** Sessions over a store in memory; `gate` holds up what is about to be asked of the facts, or to be saved. */
function sessionsUnderTest() {
  const stored = new Map<string, StoredSession>();
  const gates: { facts?: Promise<void>; save?: Promise<void> } = {};
  const runs: string[] = [];
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const store: Pick<SessionStore, 'find' | 'open' | 'save'> = {
    find: async (id) => stored.get(id),
    open: async () => [...stored.values()].filter(({ status }) => status === 'in_progress'),
    save: async (session) => {
      await gates.save;
      stored.set(session.session_id, session);
    },
  };
  const files = {
    store: async () => {
      throw new Error('Nothing is to be stored.');
    },
    expectUsable: () => {},
  };
  const sessions = new CalibrationSessions({
    store,
    actions: {
      accept:
        (_session, { kind }) =>
        async () => {
          runs.push(kind);
          return { kind: 'pump' };
        },
      stop: async () => {},
    },
    calibrations: files,
    estimators: files,
    facts: async () => {
      await gates.facts;
      return facts;
    },
    newId: () => 's1',
    clock,
    isEnding: () => false,
    warn: (message) => warnings.push(message),
  });
  const atRun = async () => {
    await sessions.begin('media_pump', 'duration_based');
    const session = stored.get('s1');
    if (session === undefined) throw new Error('It was not stored.');
    stored.set('s1', { ...session, step_id: 'tracer_run', data: { ...session.data, dc: 100, hz: 250 } });
  };
  return { sessions, stored, runs, gates, atRun, clock, warnings };
}

const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

describe('an abort', () => {
  it('prevents an earlier requested run from starting', async () => {
    const { sessions, stored, runs, gates, atRun } = sessionsUnderTest();
    await atRun();
    const held = Promise.withResolvers<void>();
    gates.facts = held.promise;
    const advanced = expect(sessions.advance('s1', {})).rejects.toMatchObject({ code: 'session_action_failed' });
    await turns();
    const aborted = sessions.abort('s1');
    await turns();
    held.resolve();
    await advanced;
    await aborted;
    expect(runs).toEqual([]);
    expect(stored.get('s1')?.status).toBe('aborted');
  });

  it('accepts no input while its end is being stored', async () => {
    const { sessions, stored, runs, gates, atRun } = sessionsUnderTest();
    await atRun();
    const held = Promise.withResolvers<void>();
    gates.save = held.promise;
    const aborted = sessions.abort('s1');
    await turns();
    const late = sessions.advance('s1', {}).catch((error: unknown) => error);
    await turns();
    held.resolve();
    await aborted;
    const refused = await late;
    expect(refused instanceof ApiError && refused.code).toBe('session_busy');
    expect([runs, stored.get('s1')?.status]).toEqual([[], 'aborted']);
  });
});

it('a stop prevents work that is shown and has not begun, and the session stays at its step', async () => {
  const { sessions, stored, runs, gates, atRun } = sessionsUnderTest();
  await atRun();
  const held = Promise.withResolvers<void>();
  gates.save = held.promise;
  const advanced = expect(sessions.advance('s1', {})).rejects.toMatchObject({ code: 'session_action_failed' });
  await turns();
  expect((await sessions.get('s1')).step?.metadata.progress).toBeDefined();
  const stopped = sessions.advance('s1', { action: 'stop' });
  await turns();
  held.resolve();
  await advanced;
  expect((await stopped).session).toMatchObject({ status: 'in_progress', step_id: 'tracer_run' });
  expect([runs, stored.get('s1')?.working]).toEqual([[], undefined]);
});

it('takes a few volumes, not a book of them', async () => {
  const { sessions, stored, atRun } = sessionsUnderTest();
  await atRun();
  const session = stored.get('s1');
  if (session === undefined) throw new Error('It was not stored.');
  stored.set('s1', { ...session, step_id: 'volume_targets' });
  const many = Array.from({ length: 200_000 }, () => 1);
  await expect(sessions.advance('s1', { mls_to_calibrate_for: many })).rejects.toMatchObject({
    code: 'session_input_invalid',
    body: { field: 'mls_to_calibrate_for' },
  });
});

describe('a session without answers', () => {
  const hourMs = 3_600_000;

  it('ends by itself after an hour, with an entry of the event log, and frees its device', async () => {
    const { sessions, stored, clock, warnings, atRun } = sessionsUnderTest();
    await sessions.start();
    await atRun();
    await clock.advance(hourMs - 60_000);
    expect([stored.get('s1')?.status, warnings]).toEqual(['in_progress', []]);
    await expect(sessions.begin('media_pump', 'duration_based')).rejects.toMatchObject({ code: 'session_exists' });
    await clock.advance(60_000);
    await turns();
    expect(stored.get('s1')?.status).toBe('aborted');
    expect(warnings).toEqual([expect.stringContaining('media_pump')]);
    stored.delete('s1');
    expect((await sessions.begin('media_pump', 'duration_based')).session.status).toBe('in_progress');
    await sessions.stop();
  });

  it('continues while answers arrive, or its work lasts', async () => {
    const { sessions, stored, clock, gates, atRun } = sessionsUnderTest();
    await sessions.start();
    await atRun();
    await clock.advance(hourMs - 60_000);
    const held = Promise.withResolvers<void>();
    gates.save = held.promise;
    const advanced = sessions.advance('s1', {});
    await clock.advance(2 * hourMs);
    expect(stored.get('s1')?.status).toBe('in_progress');
    held.resolve();
    delete gates.save;
    await advanced;
    await clock.advance(hourMs - 60_000);
    await turns();
    expect(stored.get('s1')?.status).toBe('in_progress');
    await sessions.stop();
  });

  it('ends at the start of the node when its hour was over before', async () => {
    const { sessions, stored, clock, warnings, atRun } = sessionsUnderTest();
    await atRun();
    const session = stored.get('s1');
    if (session === undefined) throw new Error('It was not stored.');
    stored.set('s9', { ...session, session_id: 's9', updatedAtMs: clock.now() - hourMs });
    stored.delete('s1');
    await sessions.start();
    await sessions.stop();
    expect([stored.get('s9')?.status, warnings.length]).toEqual(['aborted', 1]);
  });
});

it('a second session of a device is refused with the one that is open, and the ways on', async () => {
  const { sessions, atRun } = sessionsUnderTest();
  await atRun();
  const refused = await sessions.begin('media_pump', 'duration_based').catch((error: unknown) => error);
  expect(refused instanceof ApiError && refused.body).toMatchObject({
    code: 'session_exists',
    diagnostics: [
      {
        session_id: 's1',
        protocol_name: 'duration_based',
        target_device: 'media_pump',
        resume_path: '/unit_api/calibrations/sessions/s1',
        abort_path: '/unit_api/calibrations/sessions/s1/abort',
      },
    ],
  });
});
