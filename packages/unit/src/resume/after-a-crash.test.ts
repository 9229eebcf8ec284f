import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JobDefinition, JobRuntime, type JobTables, jobMigrations } from '@lcs/node';
import { SqliteDatabase, silentLog, VirtualClock } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import { describe, expect, it } from 'vitest';
import { UnitConfig } from '../config/unit-config.ts';
import { DesiredStateManager } from '../desired/desired-state-manager.ts';
import { type DesiredTables, desiredMigrations } from '../desired/desired-tables.ts';
import { SqlDesiredStore } from '../desired/sql-desired-store.ts';
import { UnitAssignment } from '../desired/unit-assignment.ts';
import { LeaderLink } from '../enrolment/leader-link.ts';
import { testDocument, testExperiment, testId, testLeaderId, testStop } from '../testing/test-desired.ts';
import { Resumption } from './resumption.ts';

const definition = (name: string, isActuating: boolean): JobDefinition => ({
  name,
  isActuating,
  stopGroup: 'rest',
  settings: { target_rpm: { type: 'float', min: 0, max: 5_000, default: 500 } },
  options: {},
  start: () => ({}),
});

class Crash extends Error {}

/** A unit on a real disk, with the real runtime of jobs; `boot` is what a new process would be. */
async function realUnit() {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-unit-'));
  const log = silentLog();
  const clock = new VirtualClock();
  const database = new SqliteDatabase<DesiredTables & JobTables>({
    path: join(folder, 'unit.sqlite'),
    migrations: [...jobMigrations, ...desiredMigrations],
    clock,
    holds: clock,
    log,
    writer: testWriter(),
  });
  await database.start(new AbortController().signal);
  const boot = async (crashAt?: string) => {
    const wire = new VirtualClock();
    const link = new LeaderLink({ folder, log });
    const assignment = new UnitAssignment(link);
    const config = new UnitConfig({ folder, log });
    const nothing = () => {};
    const runtime = new JobRuntime({
      unit: 'unit1',
      definitions: [definition('stirring', true), definition('od_reading', false)],
      database,
      clock: wire,
      wire,
      log,
      sink: { reading: nothing, event: nothing, log: nothing, state: nothing, setting: nothing },
      actuators: {
        acquire: async () => ({ set: async () => {}, release: async () => {} }),
        revoke: async () => {},
      },
      facts: () => assignment.facts(),
      config: () => config.view(),
    });
    const desiredState = new DesiredStateManager({
      unit: 'unit1',
      assignment,
      store: new SqlDesiredStore(database),
      link,
      config,
      jobs: runtime,
      model: async () => {},
      note: nothing,
      now: () => wire.now(),
      wire,
      log,
      probe: (point) => {
        if (point === crashAt) throw new Crash();
      },
    });
    const resumption = new Resumption({
      runtime,
      desiredState,
      config,
      outbox: { isFull: false },
      wire,
      log,
      note: nothing,
    });
    const signal = new AbortController().signal;
    await link.start();
    await config.start();
    await runtime.start(signal);
    await desiredState.start();
    await resumption.start();
    const run = async (name: string) => {
      const { jobName, generation } = runtime.accept(name, {});
      await runtime.run(jobName, generation);
    };
    const names = () => runtime.running().map(({ origin }) => origin.jobName);
    return { link, config, runtime, desiredState, resumption, run, names };
  };
  const dispose = async () => {
    await database.stop();
    await rm(folder, { recursive: true });
  };
  return { boot, [Symbol.asyncDispose]: dispose };
}

const linkOf = { leader: 'lead', leader_id: testLeaderId, credentials: null };

describe('after a crash', () => {
  it('jobs continue with their settings, actuating ones after confirmation by the leader', async () => {
    await using unit = await realUnit();
    const before = await unit.boot();
    await before.link.bind(linkOf);
    await before.desiredState.put(testDocument(1));
    await before.run('stirring');
    await before.run('od_reading');
    await before.runtime.update({ jobName: 'stirring' }, { target_rpm: 700 }, 'http');

    const after = await unit.boot();
    expect(after.names()).toEqual(['od_reading']);
    expect(after.config.view().mqtt?.broker_address).toBe('lead');
    await after.desiredState.put(testDocument(1));
    await after.resumption.settled();
    expect(after.names()).toEqual(['od_reading', 'stirring']);
    expect(after.runtime.settings('stirring').target_rpm).toBe(700);
    expect(after.desiredState.report().resume).toEqual({ resumed: ['od_reading', 'stirring'], held: [], off: [] });
  });

  it.each(['desired.persisted', 'stop.ordered'])(
    'at %s the order to stop is carried out, and the new document counts',
    async (point) => {
      await using unit = await realUnit();
      const before = await unit.boot(point);
      await before.link.bind(linkOf);
      await before.desiredState.put(testDocument(1)).catch(() => {});
      const restarted = await unit.boot(point);
      await restarted.run('stirring');
      const stop = [testStop(5, { experiment_uid: testId(1) })];
      const document = testDocument(2, { experiment: testExperiment(2), stop });
      const cut = restarted.desiredState.put(document);
      if (point === 'desired.persisted') await expect(cut).rejects.toThrow(Crash);
      else await cut;

      const after = await unit.boot();
      expect([after.names(), after.runtime.interrupted]).toEqual([[], []]);
      expect(after.desiredState.report()).toMatchObject({
        version: 2,
        parts: { experiment: { state: 'applied' }, stop: { state: 'applied' } },
        stopped: [{ stop_id: testId(5), still_running: [] }],
      });
      await after.run('stirring');
      await after.desiredState.put(document);
      expect(after.names()).toEqual(['stirring']);
      expect(after.runtime.running()[0]?.origin.experimentUid).toBe(testId(2));
    },
  );

  it('a stop order for one experiment leaves the jobs of another one alone', async () => {
    await using unit = await realUnit();
    const { link, desiredState, run, names } = await unit.boot();
    await link.bind(linkOf);
    await desiredState.put(testDocument(1));
    await run('stirring');
    await desiredState.put(testDocument(2, { experiment: testExperiment(2) }));
    await run('od_reading');
    await desiredState.put(
      testDocument(3, { experiment: testExperiment(2), stop: [testStop(5, { experiment_uid: testId(1) })] }),
    );
    expect(names()).toEqual(['od_reading']);
  });
});
