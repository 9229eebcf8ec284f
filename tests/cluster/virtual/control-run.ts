import { join } from 'node:path';
import type { VialPlantSettings } from '@lcs/hardware';
import { realClock, VirtualClock, WriterHost } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { ControlledUnit } from './controlled-unit.ts';
import { NetworkPlugs } from './network-plug.ts';
import { Truth } from './truth.ts';

export const controlled = 'a week of control';

interface ControlRunOptions {
  readonly unitCount: number;
  readonly vial: VialPlantSettings;
}

/** Looks, 20 ms apart, that must find nothing new. */
const quietLooksAtEnd = 25;

const model = { model_name: 'reactor_40ml', model_version: '1.5' };

/** Pumping resumes automatically after a power cut: a setting of the laboratory. */
const resumes = '\n[resume]\ndosing_automation=resume\n';

export type ControlRun = Awaited<ReturnType<typeof startControlRun>>;

/** A leader and its units in one process on one virtual clock; the power of units, and the leader, can be taken away. */
export async function startControlRun({ unitCount, vial }: ControlRunOptions) {
  await using cleanUp = new AsyncDisposableStack();
  const folder = cleanUp.use(await temporaryFolder('control-run'));
  const clock = new VirtualClock({ stallLimitMs: 60_000, batchesTimers: true, turns: 1 });
  const wire = realClock();
  const plugs = cleanUp.use(new NetworkPlugs());
  const start = () =>
    startLeader({ clock, dataFolder: join(folder.path, 'lead'), configure: { checkResponses: false } });
  let leader: LeaderUnderTest | undefined = await start();
  cleanUp.defer(() => leader?.[Symbol.asyncDispose]());
  let leaderUrl = leader.url;
  const there = (): LeaderUnderTest => {
    if (leader === undefined) throw new Error('The leader is away.');
    return leader;
  };
  const writer = new WriterHost();
  await writer.start();
  cleanUp.defer(() => writer.stop());
  const { client } = leader;
  await client.createExperiment({ body: { experiment: controlled } });
  await client.saveSharedConfig({ body: { code: `${await client.getSharedConfig()}${resumes}` } });
  const units: ControlledUnit[] = [];
  const truths = new Map<string, Truth>();
  for (let seed = 1; seed <= unitCount; seed += 1) {
    const name = `unit${seed}`;
    const dataFolder = join(folder.path, name);
    const surroundings = { leaderUrl: () => leaderUrl, clock, wire, writer, plugs };
    const unit = new ControlledUnit({ name, dataFolder, seed, vial, ...surroundings });
    await unit.start();
    cleanUp.use(unit);
    units.push(unit);
    const truth = new Truth(unit, clock);
    cleanUp.defer(() => truth.end());
    truths.set(name, truth);
    await client.registerWorker({ body: { reactor_unit: name, ...model } });
    await client.assignWorker({ params: { experiment: controlled }, body: { reactor_unit: name } });
  }
  const status = () => there().client.listUnits();
  const until = async (isSo: () => Promise<boolean>, what: string) => {
    const begun = wire.monotonic();
    while (!(await isSo())) {
      if (wire.monotonic() - begun > 90_000) throw new Error(`${what} did not come about.`);
      await wire.sleep(20);
    }
  };
  await until(
    async () => (await status()).filter(({ applied_version }) => applied_version > 0).length === unitCount,
    'membership',
  );
  for (const unit of units) await unit.calibratePumps();
  /** Time goes on, in small steps: real work that is timed by the wire keeps up, and ledgers are read along. */
  const pass = async (ms: number) => {
    const endMs = clock.monotonic() + ms;
    while (clock.monotonic() < endMs) {
      await clock.advance(Math.min(600_000, endMs - clock.monotonic()));
      for (const unit of units) if (unit.isOn) unit.ledger.read();
    }
  };
  const held = cleanUp.move();
  return {
    clock,
    wire,
    units,
    pass,
    dataFolderOfLeader: join(folder.path, 'lead'),
    leader: there,
    truthOf: (name: string): Truth => {
      const truth = truths.get(name);
      if (truth === undefined) throw new Error(`There is no ${name}.`);
      return truth;
    },
    /** Starts a job on every unit. */
    run: async (job: string, options: Readonly<Record<string, number | string>> = {}) => {
      for (const { name } of units) {
        const params = { reactor_unit: name, job, experiment: controlled };
        const accepted = await client.runWorkerJob({ params, body: { options } });
        let task: unknown;
        void there()
          .finished(accepted)
          .then((ended) => {
            task = ended;
          });
        while (task === undefined) await clock.advance(50);
        if (!JSON.stringify(task).includes('"ok":true'))
          throw new Error(`${job} did not start: ${JSON.stringify(task)}`);
      }
    },
    /** The power of a unit goes for so long; then its jobs come back. */
    cut: async (unit: ControlledUnit, forMs: number, jobs: readonly string[]) => {
      await unit.cutPower();
      await pass(forMs);
      await unit.start();
      const runs = async () => {
        await clock.advance(50);
        const running = (await unit.client.listRunningJobs()).map(({ job_name }) => job_name);
        return jobs.every((job) => running.includes(job));
      };
      await until(runs, `jobs of ${unit.name} after the cut`);
    },
    /** The leader is away for so long. */
    leaderAway: async (forMs: number) => {
      await there()[Symbol.asyncDispose]();
      leader = undefined;
      await pass(forMs);
      leader = await start();
      leaderUrl = leader.url;
    },
    /** Waits until nothing is on its way any more: no commit, no batch. Time stands still. */
    caughtUp: async () => {
      let quietLooks = 0;
      let known = '';
      await until(async () => {
        for (const unit of units) unit.ledger.read();
        const isStored = (await status()).every(({ backlog }) => backlog === 0);
        const seen = units.map(({ ledger }) => ledger.head).join();
        quietLooks = isStored && seen === known ? quietLooks + 1 : 0;
        known = seen;
        return quietLooks >= quietLooksAtEnd;
      }, 'rest');
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
