import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localCaller } from '@lcs/contract';
import {
  type Database,
  memoryLog,
  realClock,
  type TaskContext,
  TaskRunner,
  type TaskTables,
  taskMigrations,
} from '@lcs/platform';
import { startedDatabase, testWriter } from '@lcs/platform/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeRelease } from '../archives/make-release.ts';
import { sshPublicKey } from '../archives/ssh-signature.ts';
import { HarmlessHost } from '../host/harmless-host.ts';
import { UploadStore } from '../uploads/upload-store.ts';
import { createNodeSystem, createUsbDrives } from './create-node-system.ts';
import { noInstaller } from './installer.ts';

const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const clock = realClock();
const log = memoryLog();
const signal = new AbortController().signal;

let folder: string;
let database: Database<TaskTables> & { stop(): Promise<void> };
let acts: string[];
const running: TaskRunner[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-update-'));
  database = await startedDatabase<TaskTables>({
    path: join(folder, 'node.sqlite'),
    migrations: taskMigrations,
    writer: testWriter(),
  });
  acts = [];
});
afterEach(async () => {
  for (const tasks of running.splice(0)) await tasks.stop();
  await database.stop();
  await rm(folder, { recursive: true });
});

/** Writes down that it was asked, and does not obey. */
class RestartedMachine extends HarmlessHost {
  override readonly refusal = undefined;
  override restartProgram = async () => void acts.push('restart');
  override reboot = async () => void acts.push('reboot');
}

/** Takes the only place of the runner until it is told to stop. */
const endless = {
  kind: 'endless',
  run: async (_: null, { signal: told }: TaskContext) => {
    await clock.sleep(60_000, told);
    return null;
  },
};

/** The node as it is after a start under this version of the program. */
async function node(version: string) {
  const tasks = new TaskRunner({ database, clock, log, concurrency: 1 });
  tasks.register(endless);
  running.push(tasks);
  const host = new RestartedMachine();
  const { handlers } = createNodeSystem({
    usb: createUsbDrives({ host, dataFolder: folder, releases: { keys: [], installer: noInstaller } }),
    unit: 'unit1',
    isLeader: false,
    leader: () => 'lead',
    version,
    dataFolder: folder,
    clock,
    wire: clock,
    log,
    newId: randomUUID,
    tasks,
    host,
    uploads: new UploadStore({ folder, clock, log, newId: randomUUID, freeBytes: async () => 1e12 }),
    releases: {
      keys: [sshPublicKey(key)],
      folder,
      installer: {
        refusal: undefined,
        install: async () => void acts.push('install'),
        chosen: async () => '26.11.0',
        choose: async (chosen) => void acts.push(`choose ${chosen}`),
      },
    },
    stopJobs: async () => void acts.push('stop jobs'),
  });
  await tasks.start(signal);
  return { tasks, handlers };
}

async function begin(version: string): Promise<{ taskId: string; tasks: TaskRunner }> {
  await writeFile(join(folder, 'CHANGELOG.md'), '');
  await writeFile(join(folder, 'lcs.tgz'), '');
  const files = ['CHANGELOG.md', 'lcs.tgz'].map((name) => join(folder, name));
  await makeRelease({ version, files, privateKeyPem: key, target: join(folder, `release_${version}.zip`) });
  const { tasks, handlers } = await node('26.11.0');
  const request = { params: {}, query: {}, caller: localCaller, requestId: 'r', signal, headers: {} };
  const answer = await handlers.updateNode({ ...request, body: { options: { version } } });
  const taskId = 'task_id' in answer.body ? String(answer.body.task_id) : '';
  await expect.poll(() => acts).toEqual(['install', 'stop jobs', 'choose 27.1.0', 'restart']);
  return { taskId, tasks };
}

it('succeeds when the new version runs after the restart', async () => {
  const { taskId, tasks } = await begin('27.1.0');
  expect(await tasks.get(taskId)).toMatchObject({ status: 'running', message: 'Restarting into 27.1.0' });
  await tasks.stop();
  const { tasks: later } = await node('27.1.0');
  await expect
    .poll(() => later.get(taskId))
    .toMatchObject({
      status: 'succeeded',
      result: { from: '26.11.0', to: '27.1.0' },
    });
  expect(acts).toEqual(['install', 'stop jobs', 'choose 27.1.0', 'restart']);
  expect(await readdir(join(folder, 'run', 'updates'))).toEqual([]);
});

it('fails, without a second restart, when another version runs after it', async () => {
  const { taskId, tasks } = await begin('27.1.0');
  await tasks.stop();
  const { tasks: later } = await node('26.11.0');
  await expect
    .poll(() => later.get(taskId))
    .toMatchObject({ status: 'failed', error: { code: 'update_not_in_force' } });
  expect(acts).toEqual(['install', 'stop jobs', 'choose 27.1.0', 'restart', 'choose 26.11.0']);
  expect(existsSync(join(folder, 'run', 'updates', 'restart.json'))).toBe(false);
});

it('is rebooted whatever else it has to do', async () => {
  const { tasks, handlers } = await node('26.11.0');
  await tasks.submit(endless, null);
  await handlers.rebootNode({
    params: {},
    query: {},
    body: undefined,
    caller: localCaller,
    requestId: 'r',
    signal,
    headers: {},
  });
  await expect.poll(() => acts).toEqual(['stop jobs', 'reboot']);
});
