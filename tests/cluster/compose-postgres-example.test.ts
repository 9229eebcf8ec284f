import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { get } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryLog, OwnCertificate, realClock } from '@lcs/platform';
import { isPostgresInstalled, PostgresAdmin } from '@lcs/platform/testing';
import { postgresOf, temporaryFolder } from '@lcs/testkit';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../../packages/leader/src/testing/test-brokers.ts';

const example = fileURLToPath(new URL('../../examples/compose/postgres.yaml', import.meta.url));
const program = fileURLToPath(new URL('../../packages/cli/bin/lcs.js', import.meta.url));
const within = { timeout: 60_000, interval: 200 };

const Service = Type.Object({ command: Type.Array(Type.String()) });
const Compose = Type.Object({ services: Type.Object({ control: Service, ingest: Service, api: Service }) });

/** The status of a request to a server with this certificate. */
async function statusAt(url: string, ca: string): Promise<number | undefined> {
  const [response] = await once(get(url, { ca }), 'response');
  response.resume();
  return response.statusCode;
}

it.skipIf(!isPostgresInstalled)(
  'the compose example with PostgreSQL starts an api process that finds the control process, and an ingest process, outside of containers',
  async () => {
    await using folder = await temporaryFolder('compose');
    const { url: database } = await postgresOf(folder.path);
    const { services } = Value.Parse(Compose, parse(await readFile(example, 'utf8'), { merge: true }));
    const [data, tls] = [join(folder.path, 'data'), join(folder.path, 'tls')];
    await mkdir(data);
    await mkdir(tls);
    const certificates = join(folder.path, 'certificates');
    const certificate = new OwnCertificate({
      folder: certificates,
      owner: 'api',
      names: () => ['127.0.0.1'],
      clock: realClock(),
      log: memoryLog(),
    });
    await certificate.start();
    onTestFinished(() => certificate.stop());
    for (const name of ['api.pem', 'api.key']) await copyFile(join(certificates, 'server.pem'), join(tls, name));
    const ports = new Map([
      ['4998', String(await freePort())],
      ['4999', String(await freePort())],
    ]);
    /** What the containers see, on this machine. */
    const here = (word: string): string =>
      ports.get(word) ??
      word
        .replace(/^\/data$/, data)
        .replace(/^\/tls(?=\/)/, tls)
        .replace('postgres://lcs@postgres/lcs', database);
    const start = ({ command }: typeof services.api, ...more: readonly string[]) => {
      const [, ...words] = command;
      const child = spawn(process.execPath, [program, ...words.map(here), ...more], { stdio: 'ignore' });
      onTestFinished(async () => {
        const ended = once(child, 'exit');
        if (child.exitCode === null && child.kill()) await ended;
      });
    };
    // The port of the embedded broker could be taken; the example has an external one.
    start(services.control, '--broker-url', 'mqtt://127.0.0.1:9');
    start(services.api);
    const ca = await readFile(join(certificates, 'ca.pem'), 'utf8');
    const ready = `https://127.0.0.1:${ports.get('4999')}/readyz`;
    await vi.waitFor(async () => expect(await statusAt(ready, ca)).toBe(200), within);
    // Before the control process has made its key, an ingest process ends, and its container starts it again.
    start(services.ingest);
    await using admin = await PostgresAdmin.open(database);
    const ingests = () => admin.rows('select process from lcs_process.ingest');
    await vi.waitFor(async () => expect(await ingests()).toHaveLength(1), within);
  },
  120_000,
);
