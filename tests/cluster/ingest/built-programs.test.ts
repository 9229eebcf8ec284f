import { createClient, leaderApi } from '@lcs/contract';
import { openSqlReader } from '@lcs/platform/sql-reader';
import { isPostgresInstalled } from '@lcs/platform/testing';
import {
  type NodeProcess,
  postgresOf,
  signedInClient,
  startApiProcess,
  startControlProcess,
  startIngestProcess,
  temporaryFolder,
} from '@lcs/testkit';
import { expect, it, vi } from 'vitest';
import { expectAllStored, experiment, freePort, startUnits } from '../control/measuring-units.ts';

const person = { name: 'ada', role: 'administrator', password: 'three brown horses' } as const;
const ended = { code: 0, signal: null };

it.skipIf(!isPostgresInstalled)(
  'the built programs store the readings of a unit, show them, and end: lcs control, lcs ingest and lcs api',
  async () => {
    await using folder = await temporaryFolder('built');
    const dataFolder = `${folder.path}/control`;
    const { url: database } = await postgresOf(dataFolder);
    const mqttPort = await freePort();
    const options = { dataFolder, database, isBuilt: true };
    const running: NodeProcess[] = [];
    await using _ = {
      [Symbol.asyncDispose]: async () => void (await Promise.all(running.map((process) => process.kill('SIGKILL')))),
    };
    const started = async (starting: Promise<NodeProcess>) => {
      const process = await starting;
      running.push(process);
      return process;
    };
    const control = await started(startControlProcess({ ...options, mqttPort }));
    const api = await started(startApiProcess(database, 0, { isBuilt: true }));
    const ingest = await started(startIngestProcess(options));
    for (const { child } of running) expect(child.spawnargs.join(' ')).toContain('built-program.js');
    await using units = await startUnits(control.url, folder.path, mqttPort, 1);
    const [ledger] = units.ledgers;
    ledger?.open();
    const reader = openSqlReader({ url: database, schema: 'lcs' }, { timeoutMs: 5_000 });
    using __ = { [Symbol.dispose]: () => reader.close() };
    expect(reader.prepare('select process from lcs_process.ingest').all()).toHaveLength(1);

    const stored = () => Number(reader.prepare('select count(*) as n from samples').all()[0]?.n);
    await vi.waitFor(() => expect(stored()).toBeGreaterThan(40), { timeout: 60_000, interval: 100 });
    await expectAllStored(control.url, { folder: folder.path, database, ledgers: units.ledgers });
    await createClient(leaderApi, { baseUrl: control.url }).createPerson({ body: person });
    const page = await signedInClient(api.url, person.name, person.password);
    const { series, data } = await page.getOdReadings({ params: { experiment } });
    expect(series.length).toBeGreaterThan(0);
    expect(data.flat().length).toBeGreaterThan(10);

    for (const process of [ingest, api, control]) {
      process.child.kill('SIGTERM');
      expect(await process.ended).toEqual(ended);
    }
  },
  240_000,
);
