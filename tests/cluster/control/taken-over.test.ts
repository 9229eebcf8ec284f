import { once } from 'node:events';
import { createServer } from 'node:net';
import { waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { openSqlReader } from '@lcs/platform/sql-reader';
import { isPostgresInstalled } from '@lcs/platform/testing';
import { postgresOf, startUnitProcess, temporaryFolder } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';
import { Ledger, machineIdOf } from '../kill-units/ledger.ts';
import { StoredRecords } from '../kill-units/stored.ts';
import { answerAt, ControlPair, type End } from './control-pair.ts';

/** A short run belongs to every test run; more take-overs: `LCS_CONTROL_KILLS=20 npx vitest run tests/cluster/control`. */
const takeOvers = Number(process.env.LCS_CONTROL_KILLS ?? 2);
/** Of the simulated units, each in a process. */
const unitCount = Number(process.env.LCS_CONTROL_UNITS ?? 1);
const longestTakeOverMs = 10_000;
const experiment = 'taken over';
const wire = realClock();
/** On a busy machine. */
const patient = { timeout: 20_000, interval: 20 };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function startUnits(pair: ControlPair, folder: string, mqttPort: number) {
  const names = Array.from({ length: unitCount }, (_, index) => `unit${index + 1}`);
  const { client } = pair;
  await client.createExperiment({ body: { experiment } });
  const units = await Promise.all(
    names.map((name, index) =>
      startUnitProcess({
        name,
        leaderUrl: pair.active.url,
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
    const task = await waitForTask(pair.active.url, accepted, { sleep: (ms) => wire.sleep(ms) });
    expect(JSON.stringify(task), reactor_unit).toContain('"ok":true');
  }
  return {
    ledgers: names.map((name) => new Ledger(name, `${folder}/${name}`)),
    [Symbol.asyncDispose]: async () => void (await Promise.all(units.map((unit) => unit.kill('SIGTERM')))),
  };
}

it.skipIf(!isPostgresInstalled)(
  `a standby takes over ${takeOvers} times: no reading is lost or stored twice`,
  async () => {
    await using folder = await temporaryFolder('control');
    const dataFolder = `${folder.path}/control`;
    const { url: database } = await postgresOf(dataFolder);
    const mqttPort = await freePort();
    await using pair = await ControlPair.start({ dataFolder, database, mqttPort });
    await using units = await startUnits(pair, folder.path, mqttPort);
    const { ledgers } = units;
    for (const ledger of ledgers) ledger.open();
    const tookMs: number[] = [];
    for (let round = 0; round < takeOvers; round += 1) {
      if (round > 0) await pair.nextStandby();
      const label = `take-over ${round}`;
      expect(await answerAt(pair.standby, '/healthz'), label).toMatchObject({ status: 200 });
      for (const path of ['/readyz', '/api/experiments', '/'])
        expect(await answerAt(pair.standby, path), label).toEqual({ status: 503, code: 'control_standby' });
      const end: End = round % 2 === 0 ? 'killed' : 'cut off';
      expect(await answerAt(pair.api, '/unit_api/health'), label).toMatchObject({ status: 200 });
      const taken = await pair.takeOver(end);
      tookMs.push(taken.tookMs);
      expect(taken.tookMs, label).toBeLessThan(longestTakeOverMs);
      expect(await taken.ended, label).toEqual(
        end === 'killed' ? { code: null, signal: 'SIGKILL' } : { code: 1, signal: null },
      );
      await vi.waitFor(async () => {
        const answer = await answerAt(pair.api, '/unit_api/health');
        // Meanwhile there is one error.
        if (answer.status !== 200) expect(answer, label).toEqual({ status: 503, code: 'control_away' });
        expect(answer.status, label).toBe(200);
      }, patient);
      // A change of the new active process.
      await pair.client.updateExperiment({ params: { experiment }, body: { description: label } });
      for (const ledger of ledgers) ledger.read();
    }
    process.stdout.write(`take-overs: ${tookMs.map((ms) => `${Math.round(ms)} ms`).join(', ')}\n`);

    const { client } = pair;
    const accepted = await client.stopWorkerJobsOfExperiment({ params: { reactor_unit: '$broadcast', experiment } });
    await waitForTask(pair.active.url, accepted, { sleep: (ms) => wire.sleep(ms) });
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
      const machineId = machineIdOf(`${folder.path}/${ledger.unit}`);
      const { lost, invented, doubled, readings } = stored.compare(ledger, machineId, heads.get(ledger.unit) ?? 0);
      expect({ lost, invented, doubled }, ledger.unit).toEqual({ lost: [], invented: [], doubled: [] });
      expect(readings, ledger.unit).toBeGreaterThan(10);
      process.stdout.write(`${ledger.unit}: ${readings} readings\n`);
      ledger.close();
    }
    expect(stored.wrongBuckets()).toEqual([]);
    expect(await client.verifyAudit({ query: {} })).toMatchObject({ is_intact: true });
    const [found] = await client.listExperiments();
    expect(found?.description).toBe(`take-over ${takeOvers - 1}`);
  },
  120_000 + takeOvers * 30_000,
);
