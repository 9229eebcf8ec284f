import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, temporaryFolder, type UnitUnderTest } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';

const names = ['rx01', 'rx02', 'rx03'] as const;
/** Each with every unit: nine commands. */
const rounds = 3;
const model = { model_name: 'reactor_40ml', model_version: '1.5' };
const clock = realClock();
let leader: LeaderUnderTest;
let units: Map<string, UnitUnderTest>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

const folderOf = (name: string) => `${folder.path}/${name}`;
const startLeaderAgain = async () => {
  leader = await startLeader({ dataFolder: folderOf('lead'), configure: { clock } });
};
const startUnitAgain = async (name: string) => {
  const configure = { clock, leaderUrl: () => leader.url };
  units.set(name, await startUnit({ name, dataFolder: folderOf(name), configure }));
};
const unitOf = (name: string): UnitUnderTest => {
  const unit = units.get(name);
  if (unit === undefined) throw new Error(`no unit ${name}`);
  return unit;
};

const online = () =>
  eventually(async () => {
    const status = await leader.client.listUnits();
    const ready = status.filter(({ liveness, applied_version: applied }) => liveness === 'online' && applied > 0);
    expect(ready).toHaveLength(names.length);
  });

/** One cluster for all: each test begins with changes of its own. */
beforeAll(async () => {
  folder = await temporaryFolder('commands');
  units = new Map();
  await startLeaderAgain();
  for (const experiment of ['a', 'b']) await leader.client.createExperiment({ body: { experiment } });
  for (const reactor_unit of names) await leader.client.registerWorker({ body: { reactor_unit, ...model } });
  await Promise.all(names.map(startUnitAgain));
  await online();
});
afterAll(async () => {
  for (const unit of units.values()) await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const assign = (reactor_unit: string, experiment: string) =>
  leader.client.assignWorker({ params: { experiment }, body: { reactor_unit } });
/** The outcome that the task of the leader has for the unit. */
async function outcomeOf(unit: string, accepted: unknown): Promise<unknown> {
  const task = await leader.finished(accepted);
  return task.status === 'succeeded' ? Reflect.get(Object(task.result), unit) : task;
}
const isOk = (outcome: unknown): boolean => Reflect.get(Object(outcome), 'ok') === true;
const kindOf = (outcome: unknown): unknown => Reflect.get(Object(Reflect.get(Object(outcome), 'error')), 'kind');

async function setVolume(unit: string, experiment: string): Promise<unknown> {
  const params = { reactor_unit: unit, experiment };
  return outcomeOf(unit, await leader.client.updateBioreactor({ params, body: { values: { current_volume_ml: 14 } } }));
}
const startJob = async (unit: string, job: string, experiment: string): Promise<unknown> =>
  outcomeOf(unit, await leader.client.runWorkerJob({ params: { reactor_unit: unit, job, experiment }, body: {} }));

/** A job of one name may be requested once a second. */
const afterStartWindow = () => clock.sleep(1_050);
/** The experiment of a round: another than that of the round before. */
const experimentOf = (round: number): string => (round % 2 === 0 ? 'a' : 'b');

describe('a command right after an answered change', () => {
  it('sets a value of the vial in the experiment that the unit was assigned to, 9 times of 9', async () => {
    const failures: unknown[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const experiment = experimentOf(round);
      await Promise.all(
        names.map(async (unit) => {
          await assign(unit, experiment);
          const outcome = await setVolume(unit, experiment);
          if (!isOk(outcome)) failures.push(outcome);
        }),
      );
    }
    expect(failures).toEqual([]);
  });

  it('starts a job in the experiment that the unit was moved to while the job ran in the other, 9 times of 9', async () => {
    const jobs = ['stirring', 'od_reading'];
    const failures: unknown[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const experiment = experimentOf(round);
      await Promise.all(
        names.map(async (unit) => {
          await assign(unit, experiment);
          const outcomes = await Promise.all(jobs.map((job) => startJob(unit, job, experiment)));
          const running = await unitOf(unit).client.listRunningJobs();
          const mine = running.filter(({ job_name }) => jobs.includes(job_name));
          if (!outcomes.every(isOk) || mine.length !== jobs.length || mine.some((job) => job.experiment !== experiment))
            failures.push({ outcomes, mine });
        }),
      );
      await afterStartWindow();
    }
    expect(failures).toEqual([]);
  });

  it('sees it when the unit was restarted in between', async () => {
    const [unit] = names;
    for (let round = 0; round < 3; round += 1) {
      const experiment = experimentOf(round);
      await unitOf(unit).node.stop();
      await assign(unit, experiment);
      expect(kindOf(await setVolume(unit, experiment))).toBe('connection_error');
      await startUnitAgain(unit);
      // Until it has enrolled with its present address.
      const outcome = await eventually(async () => {
        const now = await setVolume(unit, experiment);
        expect(kindOf(now)).not.toBe('connection_error');
        return now;
      });
      expect(outcome).toMatchObject({ ok: true });
    }
  });

  it('sees it when the leader was restarted in between', async () => {
    for (let round = 0; round < 3; round += 1) {
      const experiment = experimentOf(round);
      await Promise.all(names.map((unit) => assign(unit, experiment)));
      await leader.node.stop();
      await startLeaderAgain();
      const outcomes = await Promise.all(names.map((unit) => setVolume(unit, experiment)));
      expect(outcomes).toEqual(outcomes.map(() => expect.objectContaining({ ok: true })));
    }
  });

  it('sees it when the leader counts its versions from an older backup', async () => {
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(names.map((unit) => assign(unit, experimentOf(round))));
      await Promise.all(names.map((unit) => setVolume(unit, experimentOf(round))));
    }
    for (const experiment of ['a', 'b']) {
      await leader.node.stop();
      await leader.editStore((database) => database.exec('update desired set version = 1, reported = null'));
      await startLeaderAgain();
      await Promise.all(names.map((unit) => assign(unit, experiment)));
      const outcomes = await Promise.all(names.map((unit) => setVolume(unit, experiment)));
      expect(outcomes).toEqual(outcomes.map(() => expect.objectContaining({ ok: true })));
    }
  });

  it('fails when the unit is away, with the change that it did not take', async () => {
    const [unit] = names;
    await assign(unit, 'a');
    await unitOf(unit).node.stop();
    await assign(unit, 'b');
    const outcome = await startJob(unit, 'stirring', 'b');
    expect(outcome).toMatchObject({ ok: false, unit, retryable: true, error: { kind: 'connection_error' } });
    expect(JSON.stringify(outcome)).toContain('desired state');
  });
});
