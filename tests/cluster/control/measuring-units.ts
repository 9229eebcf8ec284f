import { once } from 'node:events';
import { createServer } from 'node:net';
import { createClient, leaderApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { openSqlReader } from '@lcs/platform/sql-reader';
import { startUnitProcess } from '@lcs/testkit';
import { expect, vi } from 'vitest';
import { Ledger, machineIdOf } from '../kill-units/ledger.ts';
import { StoredRecords } from '../kill-units/stored.ts';

export const experiment = 'taken over';
const wire = realClock();

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Simulated units that measure every 0.2 s, each in a process. */
export async function startUnits(leaderUrl: string, folder: string, mqttPort: number, unitCount: number) {
  const names = Array.from({ length: unitCount }, (_, index) => `unit${index + 1}`);
  const client = createClient(leaderApi, { baseUrl: leaderUrl });
  await client.createExperiment({ body: { experiment } });
  const units = await Promise.all(
    names.map((name, index) =>
      startUnitProcess({
        name,
        leaderUrl,
        dataFolder: `${folder}/${name}`,
        witnessPath: `${folder}/${name}.witness`,
        seed: index + 1,
        mqttUrl: `mqtt://127.0.0.1:${mqttPort}`,
      }),
    ),
  );
  for (const reactor_unit of names) {
    await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
    await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  }
  await vi.waitFor(
    async () => {
      const known = await client.listUnits();
      const ready = known.filter(
        ({ liveness, applied_version, desired_version }) =>
          liveness === 'online' && desired_version > 0 && applied_version >= desired_version,
      );
      if (ready.length < names.length) throw new Error('Units are missing.');
    },
    { timeout: 60_000, interval: 200 },
  );
  for (const reactor_unit of names) {
    const params = { reactor_unit, experiment, job: 'od_reading' };
    const accepted = await client.runWorkerJob({ params, body: { options: { interval: 0.2 } } });
    const task = await waitForTask(leaderUrl, accepted, { sleep: (ms) => wire.sleep(ms) });
    expect(JSON.stringify(task), reactor_unit).toContain('"ok":true');
  }
  return {
    ledgers: names.map((name) => new Ledger(name, `${folder}/${name}`)),
    [Symbol.asyncDispose]: async () => void (await Promise.all(units.map((unit) => unit.kill('SIGTERM')))),
  };
}

/** Stops the jobs, then compares what the units have recorded with what is stored: no reading is lost, invented or stored twice. */
export async function expectAllStored(
  leaderUrl: string,
  {
    folder,
    database,
    ledgers,
    headers = {},
  }: { folder: string; database: string; ledgers: readonly Ledger[]; headers?: Readonly<Record<string, string>> },
): Promise<void> {
  const client = createClient(leaderApi, { baseUrl: leaderUrl, headers });
  const accepted = await client.stopWorkerJobsOfExperiment({ params: { reactor_unit: '$broadcast', experiment } });
  await waitForTask(leaderUrl, accepted, { headers, sleep: (ms) => wire.sleep(ms) });
  for (const ledger of ledgers) ledger.read();
  const heads = new Map(ledgers.map(({ unit, head }) => [unit, head]));
  using stored = new StoredRecords(openSqlReader({ url: database, schema: 'lcs' }, { timeoutMs: 5_000 }));
  await vi.waitFor(
    () => {
      for (const { unit, epoch, head } of ledgers) {
        const [mark] = stored.rows('select seq from feed_marks where reactor_unit = ? and epoch = ?', unit, epoch);
        if (Number(mark?.seq ?? 0) < head) throw new Error(`${unit} is at ${String(mark?.seq)} of ${head}.`);
      }
    },
    { timeout: 60_000, interval: 200 },
  );
  for (const ledger of ledgers) {
    ledger.read();
    const machineId = machineIdOf(`${folder}/${ledger.unit}`);
    const { lost, invented, doubled, readings } = stored.compare(ledger, machineId, heads.get(ledger.unit) ?? 0);
    expect({ lost, invented, doubled }, ledger.unit).toEqual({ lost: [], invented: [], doubled: [] });
    expect(readings, ledger.unit).toBeGreaterThan(10);
    process.stdout.write(`${ledger.unit}: ${readings} readings\n`);
    ledger.close();
  }
  expect(stored.wrongBuckets()).toEqual([]);
}
