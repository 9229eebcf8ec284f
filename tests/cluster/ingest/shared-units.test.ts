import { openSqlReader, type SqlReader } from '@lcs/platform/sql-reader';
import { isPostgresInstalled } from '@lcs/platform/testing';
import { type NodeProcess, postgresOf, startControlProcess, startIngestProcess, temporaryFolder } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';
import { answerAt } from '../control/control-pair.ts';
import { expectAllStored, freePort, startUnits } from '../control/measuring-units.ts';

/** A short run belongs to every test run; more rounds: `LCS_INGEST_KILLS=10 npx vitest run tests/cluster/ingest`. */
const rounds = Number(process.env.LCS_INGEST_KILLS ?? 1);
const unitCount = Number(process.env.LCS_INGEST_UNITS ?? 3);
const longestTakeOverMs = 10_000;
/** An ingest process that is suspended is replaced after 4 s of silence. */
const silentMs = 3_000;

const marksIn = (reader: SqlReader): ReadonlyMap<string, number> =>
  new Map(
    reader
      .prepare('select reactor_unit as unit, max(seq) as seq from feed_marks group by reactor_unit')
      .all()
      .map(({ unit, seq }) => [String(unit), Number(seq)]),
  );

/** Processes that may store feeds. */
const registeredIn = (reader: SqlReader): number =>
  reader.prepare('select process from lcs_process.ingest').all().length;

/** The time until every unit has readings stored that were not stored at the beginning. */
async function untilAllStoreAgain(reader: SqlReader): Promise<number> {
  const sinceMs = performance.now();
  const before = marksIn(reader);
  await vi.waitFor(
    () => {
      const now = marksIn(reader);
      // One batch may have been on its way.
      const behind = [...before].filter(([unit, seq]) => (now.get(unit) ?? 0) < seq + 3);
      expect(behind).toEqual([]);
    },
    { timeout: 30_000, interval: 50 },
  );
  return performance.now() - sinceMs;
}

class Cluster implements AsyncDisposable {
  readonly #options: Parameters<typeof startControlProcess>[0];
  readonly #all: NodeProcess[] = [];

  constructor(options: Parameters<typeof startControlProcess>[0]) {
    this.#options = options;
  }

  async control(): Promise<NodeProcess> {
    return this.#kept(await startControlProcess(this.#options));
  }

  async ingest(): Promise<NodeProcess> {
    return this.#kept(await startIngestProcess(this.#options));
  }

  #kept(process: NodeProcess): NodeProcess {
    this.#all.push(process);
    return process;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((process) => process.kill('SIGKILL')));
  }
}

async function untilActive(process: NodeProcess): Promise<void> {
  await vi.waitFor(async () => expect((await answerAt(process, '/readyz')).status).toBe(200), {
    timeout: 30_000,
    interval: 50,
  });
}

it.skipIf(!isPostgresInstalled)(
  `units of an ingest process that ends or stands still are taken over (${rounds} times each): no reading is lost or stored twice`,
  async () => {
    await using folder = await temporaryFolder('ingest');
    const dataFolder = `${folder.path}/control`;
    const { url: database } = await postgresOf(dataFolder);
    const mqttPort = await freePort();
    await using cluster = new Cluster({ dataFolder, database, mqttPort });
    let active = await cluster.control();
    await using units = await startUnits(active.url, folder.path, mqttPort, unitCount);
    const { ledgers } = units;
    for (const ledger of ledgers) ledger.open();
    const reader = openSqlReader({ url: database, schema: 'lcs' }, { timeoutMs: 5_000 });
    using _ = { [Symbol.dispose]: () => reader.close() };
    const took: Record<string, string[]> = {};
    const takeOver = async (how: string) => {
      const ms = await untilAllStoreAgain(reader);
      expect(ms, how).toBeLessThan(longestTakeOverMs);
      took[how] = [...(took[how] ?? []), `${Math.round(ms)} ms`];
      for (const ledger of ledgers) ledger.read();
      return ms;
    };
    const joined = (count: number) =>
      vi.waitFor(() => expect(registeredIn(reader)).toBe(count), { timeout: 20_000, interval: 50 });

    for (let round = 0; round < rounds; round += 1) {
      const first = await cluster.ingest();
      await joined(1);
      await takeOver('first ingest process');
      // The only reader is suspended: nothing is stored until the control process reads the units itself.
      first.child.kill('SIGSTOP');
      expect(await takeOver('the only one is suspended')).toBeGreaterThan(silentMs);
      first.child.kill('SIGCONT');
      expect(await first.ended).toEqual({ code: 1, signal: null });

      const second = await cluster.ingest();
      await joined(1);
      const third = await cluster.ingest();
      await joined(2);
      await takeOver('another one joins');
      second.child.kill('SIGSTOP');
      await takeOver('one of two is suspended');
      // It may have had none of the units.
      await joined(1);
      second.child.kill('SIGCONT');
      expect(await second.ended).toEqual({ code: 1, signal: null });
      const fourth = await cluster.ingest();
      await joined(2);
      await takeOver('another one joins');
      third.child.kill('SIGKILL');
      await takeOver('one of two is killed');
      await joined(1);
      const standby = await cluster.control();
      active.child.kill('SIGKILL');
      await untilActive(standby);
      active = standby;
      await takeOver('a standby has become active');
      expect(registeredIn(reader)).toBe(1);
      fourth.child.kill('SIGTERM');
      expect(await fourth.ended).toEqual({ code: 0, signal: null });
      expect(registeredIn(reader)).toBe(0);
      await takeOver('the last one is stopped');
    }
    for (const [how, times] of Object.entries(took)) process.stdout.write(`${how}: ${times.join(', ')}\n`);
    await expectAllStored(active.url, { folder: folder.path, database, ledgers });
  },
  120_000 + rounds * 90_000,
);
