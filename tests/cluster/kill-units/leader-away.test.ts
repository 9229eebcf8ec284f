import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { realClock, VirtualClock, WriterHost } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, temporaryFolder, type UnitUnderTest } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { Ledger, machineIdOf } from './ledger.ts';
import { StoredRecords } from './stored.ts';

const dayMs = 86_400_000;
const experiment = 'away';
const names = ['unit1', 'unit2', 'unit3', 'unit4'];
/** `npm run test:kill` looks at a day and a week. */
const absences = (process.env.LCS_AWAY_DAYS ?? '0.25').split(',').map(Number);

const wire = realClock();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await wire.sleep(20);
}

/** Every unit measures; jobs start on virtual time. */
async function measure(leader: LeaderUnderTest, units: readonly UnitUnderTest[], clock: VirtualClock): Promise<void> {
  const { client } = leader;
  await client.createExperiment({ body: { experiment } });
  for (const reactor_unit of names) {
    await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
    await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  }
  await until(async () => {
    const reports = await Promise.all(units.map((unit) => unit.client.getDesired()));
    return reports.every(({ parts }) => parts.experiment?.state === 'applied');
  });
  for (const unit of units) {
    const options = { interval: 60 };
    const accepted = await unit.client.runJob({ params: { job: 'od_reading' }, body: { options } });
    let isStarted = false;
    void unit.finished(accepted).then(({ status }) => {
      isStarted = status === 'succeeded';
    });
    while (!isStarted) await clock.advance(50);
  }
}

/** What a page asks for while the leader catches up; the slowest answer in milliseconds. */
async function browse({ client }: LeaderUnderTest, ending: AbortSignal): Promise<{ asked: number; worstMs: number }> {
  const params = { experiment };
  let worstMs = 0;
  let asked = 0;
  while (!ending.aborted) {
    const begun = wire.monotonic();
    const [experiments, series] = await Promise.all([client.listExperiments(), client.getOdReadings({ params })]);
    expect(experiments.map(({ experiment: name }) => name)).toEqual([experiment]);
    expect(series.series.length).toBeLessThanOrEqual(names.length);
    worstMs = Math.max(worstMs, wire.monotonic() - begun);
    asked += 2;
    await wire.sleep(50);
  }
  return { asked, worstMs };
}

it.each(absences)(
  'catches up in order after %d days without the leader, and answers pages meanwhile',
  async (days) => {
    await using folder = await temporaryFolder('away');
    await using cleanUp = new AsyncDisposableStack();
    const clock = new VirtualClock({ stallLimitMs: 60_000, batchesTimers: true });
    const port = await freePort();
    const leaderFolder = join(folder.path, 'leader');
    const start = () => startLeader({ dataFolder: leaderFolder, clock, configure: { checkResponses: false, port } });
    const writer = new WriterHost();
    await writer.start();
    cleanUp.defer(() => writer.stop());
    const first = await start();
    const units: UnitUnderTest[] = [];
    for (const [index, name] of names.entries()) {
      const board = { kind: 'here', seed: index + 1, oversampling: 'closed_form' } as const;
      const dataFolder = join(folder.path, name);
      const configure = { board, writer, checkResponses: false };
      units.push(cleanUp.use(await startUnit({ name, dataFolder, clock, leaderUrl: first.url, configure })));
    }
    await measure(first, units, clock);
    await first[Symbol.asyncDispose]();

    await clock.advance(days * dayMs);
    const ledgers = names.map((name) => new Ledger(name, join(folder.path, name)));
    for (const ledger of ledgers) {
      cleanUp.defer(() => ledger.close());
      ledger.open();
    }
    const backlog = ledgers.reduce((sum, { records }) => sum + records.length, 0);
    const begun = wire.monotonic();
    const second = await start();
    cleanUp.use(second);
    using stored = new StoredRecords(leaderFolder);
    const ending = new AbortController();
    const browsing = browse(second, ending.signal);
    const marks: number[][] = ledgers.map(() => [0]);
    await until(() => {
      const levels = ledgers.map(({ unit, epoch }) =>
        Number(
          stored.rows('select seq from feed_marks where reactor_unit = ? and epoch = ?', unit, epoch)[0]?.seq ?? 0,
        ),
      );
      for (const [index, level] of levels.entries()) marks[index]?.push(level);
      return levels.every((level, index) => level >= (ledgers[index]?.head ?? 0));
    });
    const seconds = (wire.monotonic() - begun) / 1_000;
    ending.abort();
    const { asked, worstMs } = await browsing;
    process.stdout.write(
      `${days} days away: ${backlog} records of ${names.length} units in this process in ${seconds.toFixed(1)} s, start of the leader included ` +
        `(${Math.round(backlog / seconds)} a second); ${asked} requests meanwhile, the slowest two together ${Math.round(worstMs)} ms\n`,
    );
    for (const [index, ledger] of ledgers.entries()) {
      // What a unit writes after that, such as its answer to a document, is on its way.
      const { head } = ledger;
      ledger.read();
      const machineId = machineIdOf(join(folder.path, ledger.unit));
      const { lost, doubled, invented, thinned, readings } = stored.compare(ledger, String(machineId), head);
      expect({ lost, doubled, invented, thinned }).toEqual({ lost: [], doubled: [], invented: [], thinned: 0 });
      expect(readings).toBeGreaterThan(days * 1_440 * 2);
      const events = stored.rows('select boot, mono from events where machine_id = ? order by id', machineId);
      const moments = events.map(({ boot, mono }) => Number(boot) * 1e15 + Number(mono));
      expect(moments).toEqual([...moments].sort((a, b) => a - b));
      expect(marks[index]).toEqual([...(marks[index] ?? [])].sort((a, b) => a - b));
    }
    expect(stored.wrongBuckets()).toEqual([]);
    expect(asked).toBeGreaterThan(0);
  },
  600_000,
);
