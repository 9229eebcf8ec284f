import { ApiError, DesiredReport } from '@lcs/contract';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../config/unit-config.ts';
import {
  MemoryDesiredStore,
  testDocument,
  testExperiment,
  testFile,
  testId,
  testLeaderId,
  testModel,
  testStop,
} from '../testing/test-desired.ts';
import { TestUnit } from '../testing/test-desired-unit.ts';

const otherLeader = { leader: 'other', leader_id: testId(77), standing: 'member', credentials: null } as const;

async function startedUnit() {
  const unit = new TestUnit();
  const boot = unit.boot();
  await boot.start();
  return { unit, boot, desiredState: boot.desiredState };
}

const codeOf = async (call: Promise<unknown>) => {
  const outcome = await call.then(
    () => 'no error',
    (error: unknown) => error,
  );
  return outcome instanceof ApiError ? outcome.code : outcome;
};

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a document', () => {
  it('is reported in the declared shape: what it changed, what it left as it was', async () => {
    const { unit, desiredState } = await startedUnit();
    const first = await desiredState.put(testDocument(1));
    expect(Value.Check(DesiredReport, JSON.parse(JSON.stringify(first)))).toBe(true);
    expect(first).toMatchObject({ version: 1, leader_id: testLeaderId, config: { shared: 1, own: 1 }, stopped: [] });
    const second = await desiredState.put(testDocument(2, { experiment: testExperiment(2) }));
    const states = Object.fromEntries(Object.entries(second.parts).map(([name, { state }]) => [name, state]));
    expect(states).toEqual({
      experiment: 'applied',
      active: 'unchanged',
      model: 'unchanged',
      config_shared: 'unchanged',
      config_own: 'unchanged',
      stop: 'unchanged',
    });
    expect(unit.notes.filter(({ kind }) => kind === 'event')).toMatchObject([
      { name: 'desired_applied', data: { version: 1 } },
      { name: 'desired_applied', data: { version: 2 } },
    ]);
    expect(desiredState.facts()).toEqual({
      experiment: { name: 'experiment 2', uid: testId(2) },
      isActive: true,
      model: { name: testModel()?.model_name, version: testModel()?.model_version },
    });
  });

  it.each(Array.from({ length: 20 }, (_, steps) => steps))(
    'gives the same report whether or not the power was cut (after %i steps)',
    async (steps) => {
      const lifeWith = async (cutAfter: number | undefined) => {
        const { unit, boot } = await startedUnit();
        await boot.desiredState.put(testDocument(1));
        unit.addJob('stirring', 'experiment 1', testId(1), true);
        const stop = [testStop(5, { experiment_uid: testId(1) })];
        boot.cutAfter(cutAfter);
        const config = { shared: testFile('[mqtt]\nbroker_port=1884\n', 2), own: testFile('') };
        const document = testDocument(2, { experiment: null, model: testModel(1), config, stop });
        const isCut = await boot.meanwhile(boot.desiredState.put(document)).then(
          () => false,
          () => true,
        );
        boot.cutAfter(undefined);
        const last = isCut ? unit.boot() : boot;
        if (isCut) await last.start();
        const { parts, version, config: versions } = await last.desiredState.put(document);
        return { parts, version, versions, jobs: unit.jobs.map(({ state }) => state) };
      };
      const { version, ...cut } = await lifeWith(steps);
      const whole = await lifeWith(undefined);
      // Cut before it was on disk, it came as a new one.
      expect({ version, ...cut }).toEqual(whole);
      expect(cut.jobs).toEqual(['off']);
    },
  );

  it('has a timely response although jobs take long to end, and reports their end later', async () => {
    const { unit, boot, desiredState } = await startedUnit();
    await desiredState.put(testDocument(1));
    unit.addJob('stirring', 'experiment 1', testId(1), true);
    const gate = Promise.withResolvers<void>();
    boot.stopGate = gate.promise;
    const stop = [testStop(5, { experiment_uid: testId(1) })];
    const putting = desiredState.put(testDocument(2, { experiment: testExperiment(2), active: false, stop }));
    await boot.wire.advance(1_799);
    await boot.wire.advance(1);
    expect(await putting).toMatchObject({
      version: 2,
      applied_at: null,
      parts: { experiment: { state: 'applied' }, active: { state: 'pending' }, stop: { state: 'pending' } },
      stopped: [],
    });
    expect(desiredState.heartbeat()).toEqual({ desired_version: 2, desired_pending: ['active', 'stop'] });
    const applied = new Promise<DesiredReport>((resolve) => desiredState.onApplied(resolve));
    gate.resolve();
    expect(await applied).toMatchObject({
      parts: { active: { state: 'applied' }, stop: { state: 'applied' } },
      stopped: [{ stop_id: testId(5), ended: [{ job_name: 'stirring', job_id: 1 }], still_running: [] }],
    });
    expect(desiredState.heartbeat().desired_pending).toEqual([]);
  });

  it('is not held up by a guard that fails: the part fails, keeps its value, and is tried again', async () => {
    const { boot, desiredState } = await startedUnit();
    await desiredState.put(testDocument(1));
    boot.modelFailure = new Error('no guard');
    const report = await desiredState.put(testDocument(2, { model: testModel(1), experiment: testExperiment(2) }));
    expect(report.parts).toMatchObject({
      experiment: { state: 'applied' },
      model: { state: 'failed', error: { code: 'model_not_set', message: 'no guard' } },
    });
    expect(desiredState.facts().model?.name).toBe(testModel()?.model_name);
    boot.modelFailure = undefined;
    await boot.wire.advance(10_000);
    await settled();
    expect(desiredState.report().parts.model).toEqual({ state: 'applied' });
    expect(boot.model).toEqual(testModel(1));
  });

  it('tries again to end what would not end, and reports it as ended only then', async () => {
    const { unit, boot, desiredState } = await startedUnit();
    await desiredState.put(testDocument(1));
    unit.addJob('stirring', 'experiment 1', testId(1), true);
    boot.unstoppable = 'stirring';
    const stillRunning = { job_name: 'stirring', job_id: 1 };
    const document = testDocument(2, { stop: [testStop(5, { experiment_uid: testId(1) })] });
    expect(await desiredState.put(document)).toMatchObject({
      parts: { stop: { state: 'failed', error: { code: 'jobs_still_running' } } },
      stopped: [{ stop_id: testId(5), ended: [], still_running: [stillRunning] }],
    });
    boot.unstoppable = undefined;
    await boot.wire.advance(10_000);
    await settled();
    expect(desiredState.report()).toMatchObject({
      parts: { stop: { state: 'applied' } },
      stopped: [{ stop_id: testId(5), still_running: [] }],
    });
    expect(unit.effects.filter((name) => name === `stopped ${testId(5)}`)).toHaveLength(1);
  });

  it('whose file has another checksum, or is invalid, changes everything except that file', async () => {
    const { unit, desiredState } = await startedUnit();
    await desiredState.put(testDocument(1));
    const before = unit.config.text('shared');
    const shared = { version: 2, sha256: sha256Of('x'), text: 'y' };
    const report = await desiredState.put(testDocument(2, { config: { shared, own: testFile('[a\n', 2) } }));
    expect(report.parts.config_shared).toMatchObject({ state: 'failed', error: { code: 'config_damaged' } });
    expect(report.parts.config_own).toMatchObject({ state: 'failed', error: { code: 'config_invalid' } });
    expect(report.config).toEqual({ shared: 1, own: 1 });
    expect(unit.config.text('shared')).toBe(before);
  });

  it('comes from the leader of this unit only', async () => {
    const { unit, desiredState } = await startedUnit();
    expect(await codeOf(desiredState.put(testDocument(1, { leader_id: testId(9) })))).toBe('foreign_leader');
    unit.link = undefined;
    expect(await codeOf(desiredState.put(testDocument(1)))).toBe('not_enrolled');
    expect(desiredState.report()).toMatchObject({ version: 0, leader_id: null });
  });

  it('that was damaged on the disk counts as missing, and is logged', async () => {
    class DamagedStore extends MemoryDesiredStore {
      override async load() {
        const stops = [{ order: testStop(9, { job_name: 'heating' }), version: 1, outcome: null }];
        return { ...(await super.load()), desired: 'damaged' as const, stops };
      }
    }
    const unit = new TestUnit(new DamagedStore());
    await unit.boot().start();
    unit.addJob('od_reading', 'experiment 1', testId(1), false);
    unit.addJob('heating', 'experiment 1', testId(1), true);
    const boot = unit.boot();
    await boot.start();
    await boot.wire.advance(3_600_000);
    expect(boot.desiredState.heartbeat().desired_version).toBe(0);
    expect(unit.notes).toContainEqual(expect.objectContaining({ kind: 'log', level: 'CRITICAL' }));
    // Its orders stand for themselves.
    expect(unit.jobs.map(({ state }) => state)).toEqual(['cut', 'off']);
  });

  it('stands above a file that was changed on the unit', async () => {
    const { unit, desiredState } = await startedUnit();
    await desiredState.put(testDocument(1));
    unit.config.texts.shared = '[mqtt]\nbroker_address=elsewhere\n';
    await unit.boot().start();
    expect(unit.config.text('shared')).toBe(testDocument(1).config.shared.text);
  });
});

describe('a unit that is let go', () => {
  it('stops all, forgets what is not its own, lets its feed be read to the end, and is free', async () => {
    const { unit, boot, desiredState } = await startedUnit();
    const config = { shared: testFile('[a]\nb=1\n'), own: testFile('[c]\nd=1\n') };
    await desiredState.put(testDocument(1, { config }));
    unit.addJob('stirring', 'experiment 1', testId(1), true);
    const report = await desiredState.put(testDocument(2, { config, standing: 'released' }));
    expect(report).toMatchObject({ version: 2, parts: { active: { state: 'applied' } } });
    expect(unit.jobs.map(({ state }) => state)).toEqual(['off']);
    expect(unit.config.texts).toEqual({ shared: '', own: config.own.text });
    expect(boot.model).toBeNull();
    expect(desiredState.facts()).toMatchObject({ experiment: undefined, model: undefined });
    expect(await codeOf(desiredState.put(testDocument(3)))).toBe('not_enrolled');

    unit.isDrained = false;
    await boot.wire.advance(60_000);
    expect(boot.assignment.leaderId).toBe(testLeaderId);
    unit.isDrained = true;
    await boot.wire.advance(5_000);
    await settled();
    expect([boot.assignment.leaderId, desiredState.heartbeat().desired_version]).toEqual([undefined, 0]);

    boot.setLink({ leader: 'lead', leader_id: testLeaderId, standing: 'member', credentials: null });
    expect(await desiredState.put(testDocument(1))).toMatchObject({
      version: 1,
      parts: { experiment: { state: 'applied' } },
    });
  });

  it('has been let go even when the power is cut in the middle of it', async () => {
    for (let steps = 2; steps < 20; steps += 1) {
      const { unit, boot, desiredState } = await startedUnit();
      await desiredState.put(testDocument(1));
      unit.addJob('stirring', 'experiment 1', testId(1), true);
      boot.cutAfter(steps);
      await boot.meanwhile(desiredState.put(testDocument(2, { standing: 'released' }))).catch(() => {});
      const next = unit.boot();
      await next.start();
      expect(unit.link?.standing).toBe('released');
      expect(unit.jobs.map(({ state }) => state)).toEqual(['off']);
      expect(next.desiredState.facts().experiment).toBeUndefined();
    }
  });

  it('does the same when it joins another leader, whose numbers begin anew', async () => {
    const { unit, boot, desiredState } = await startedUnit();
    await desiredState.put(testDocument(40));
    unit.addJob('stirring', 'experiment 1', testId(1), true);
    boot.setLink(otherLeader);
    const { leader, leader_id } = otherLeader;
    expect(await codeOf(desiredState.put(testDocument(41)))).toBe('foreign_leader');
    expect(unit.jobs.map(({ state }) => state)).toEqual(['off']);
    expect(await desiredState.put(testDocument(1, { leader, leader_id }))).toMatchObject({ version: 1 });
  });

  it('does the same when another machine has its name', async () => {
    const { unit, desiredState } = await startedUnit();
    await desiredState.put(testDocument(1));
    unit.addJob('stirring', 'experiment 1', testId(1), true);
    await desiredState.release();
    expect(unit.link?.standing).toBe('released');
    expect(unit.jobs.map(({ state }) => state)).toEqual(['off']);
    expect(desiredState.heartbeat().desired_version).toBe(0);
  });
});
