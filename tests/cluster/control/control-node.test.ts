import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type ControlNode, createControlNode, createLeaderNode } from '@lcs/cluster';
import { createClient, leaderApi } from '@lcs/contract';
import { machineCertificate, memoryLog, VirtualClock } from '@lcs/platform';
import { isPostgresInstalled } from '@lcs/platform/testing';
import { postgresOf, temporaryFolder } from '@lcs/testkit';
import { describe, expect, it, vi } from 'vitest';

const never = new AbortController().signal;
/** On a busy machine. */
const patient = { timeout: 20_000, interval: 20 };

interface Control extends AsyncDisposable {
  readonly node: ControlNode;
  readonly onActive: ReturnType<typeof vi.fn>;
  readonly onFenced: ReturnType<typeof vi.fn>;
}

type Network = Partial<Pick<Parameters<typeof createControlNode>[0], 'host' | 'certificatePaths'>>;

/** The status over TLS, whoever has issued the certificate. */
async function statusOverTls(url: string): Promise<number | undefined> {
  const sent = request(url, { rejectUnauthorized: false, agent: false }).end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.resume();
  return response?.statusCode;
}

const common = {
  name: 'lead',
  host: '127.0.0.1',
  port: 0,
  mqttPort: 0,
  pluginIndexUrl: 'off',
  hostSynced: () => false,
};

function control(dataFolder: string, database: string, network: Network = {}): Control {
  const [onActive, onFenced] = [vi.fn(), vi.fn()];
  const node = createControlNode({ ...common, ...network, dataFolder, database, onActive, onFenced, log: memoryLog() });
  return { node, onActive, onFenced, [Symbol.asyncDispose]: () => node.stop() };
}

describe.skipIf(!isPostgresInstalled)('a control process', () => {
  it('hands over when it is stopped, with what it has stored', async () => {
    await using folder = await temporaryFolder('control');
    const { url } = await postgresOf(folder.path);
    await using first = control(folder.path, url);
    await first.node.start(never);
    await createClient(leaderApi, { baseUrl: first.node.url }).createExperiment({ body: { experiment: 'a' } });
    await using second = control(folder.path, url);
    await second.node.start(never);
    expect([first.node.leader !== undefined, second.node.leader]).toEqual([true, undefined]);
    const { url: address } = second.node;
    await first.node.stop();
    await vi.waitFor(() => expect(second.onActive).toHaveBeenCalledOnce(), patient);
    expect(second.node.url).toBe(address);
    expect(await createClient(leaderApi, { baseUrl: address }).listExperiments()).toMatchObject([{ experiment: 'a' }]);
    expect([first.onFenced, second.onFenced].map((fenced) => fenced.mock.calls.length)).toEqual([0, 0]);
  });

  it('is refused with a folder that is not the one of the active process', async () => {
    await using folder = await temporaryFolder('control');
    const dataFolder = `${folder.path}/shared`;
    const { url } = await postgresOf(dataFolder);
    await using first = control(dataFolder, url);
    await first.node.start(never);
    const copy = `${folder.path}/copy`;
    await cp(dataFolder, copy, { recursive: true, filter: (path) => !/\/(\.lock|run)(\/|$)/.test(path) });
    const other = `${folder.path}/other`;
    await mkdir(other);
    for (const wrong of [copy, other])
      await expect(control(wrong, url).node.start(never), wrong).rejects.toMatchObject({ name: 'StartupError' });
    // Nothing is left in it: a leader of its own would have got keys.
    expect(await readdir(other)).toEqual([]);
    await first.node.stop();
    // The lock is free, and the copy is of the last start: only a later start makes it recognisable as old.
    await using again = control(dataFolder, url);
    await again.node.start(never);
    await again.node.stop();
    await expect(control(copy, url).node.start(never)).rejects.toMatchObject({ name: 'StartupError' });
  });

  it('is a standby with the certificate of an institution on a network', async () => {
    await using folder = await temporaryFolder('control');
    const { url } = await postgresOf(folder.path);
    await using first = control(folder.path, url);
    await first.node.start(never);
    const { key, certificate } = await machineCertificate(generateKeyPairSync('ed25519').privateKey);
    const certificatePaths = { key: `${folder.path}/key.pem`, certificate: `${folder.path}/certificate.pem` };
    await writeFile(certificatePaths.key, key);
    await writeFile(certificatePaths.certificate, certificate);
    await using second = control(folder.path, url, { host: '0.0.0.0', certificatePaths });
    await second.node.start(never);
    expect(second.node.leader).toBeUndefined();
    expect(await statusOverTls(`${second.node.url}/healthz`)).toBe(200);
    expect(await statusOverTls(`${second.node.url}/readyz`)).toBe(503);
  });

  it('is not started beside a leader of the same database, nor a leader beside it', async () => {
    await using folder = await temporaryFolder('control');
    const { url } = await postgresOf(folder.path);
    await using first = control(folder.path, url);
    await first.node.start(never);
    const wire = new VirtualClock();
    const log = memoryLog();
    const leader = createLeaderNode({ ...common, dataFolder: `${folder.path}-leader`, database: url, log, wire });
    const refused = expect(leader.start(never)).rejects.toMatchObject({
      name: 'StartupError',
      cause: expect.objectContaining({ code: 'database_in_use' }),
    });
    let isRefused = false;
    void refused.then(() => {
      isRefused = true;
    });
    await vi.waitFor(async () => {
      await wire.advance(1_000);
      expect(isRefused).toBe(true);
    }, patient);
    await refused;
    await rm(`${folder.path}-leader`, { recursive: true, force: true });
  });
});
