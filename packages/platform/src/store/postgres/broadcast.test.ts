import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { realClock } from '../../clock/real-clock.ts';
import { isPostgresInstalled, PostgresAdmin, testPostgres } from '../../testing/postgres-server.ts';
import { RecordingLog } from '../../testing/test-database.ts';
import { ActiveLock, locked } from './active-lock.ts';
import { Broadcaster, type BroadcasterOptions, BroadcastListener, type BroadcastListenerOptions } from './broadcast.ts';

const never = new AbortController().signal;
const clock = realClock();
const log = new RecordingLog();
const channel = 'test_events';
/** On a busy machine. */
const patient = { timeout: 20_000, interval: 20 };

async function withActive(options: Partial<BroadcasterOptions> = {}) {
  const server = await testPostgres();
  const name = `broadcast_${randomUUID().replaceAll('-', '')}`;
  await using admin = await PostgresAdmin.open(server.url('postgres'));
  await admin.run(`create database ${name}`);
  const url = server.url(name);
  const active = new ActiveLock({ url, clock, log });
  expect(await active.request()).toBe(true);
  const broadcaster = new Broadcaster({ url, channel, clock, log, active, ...options });
  await broadcaster.start(never);
  const dispose = async () => {
    await broadcaster.stop();
    await active.release();
  };
  return { url, active, broadcaster, [Symbol.asyncDispose]: dispose };
}

async function listenAt(url: string, options: Partial<BroadcastListenerOptions> = {}) {
  const texts: string[] = [];
  const onLost = vi.fn();
  const onText = (text: string) => texts.push(text);
  const listener = new BroadcastListener({ url, channel, clock, log, onText, onLost, ...options });
  await listener.start(never);
  return { listener, texts, onLost, [Symbol.asyncDispose]: () => listener.stop() };
}

/** A way to the server on which connections stop without an end, as when a machine or a switch fails. */
async function way(url: string) {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-way-'));
  const sockets: Socket[] = [];
  const file = (of: string) => `${of}/.s.PGSQL.5432`;
  const proxy = createServer((near) => {
    const far = createConnection(file(decodeURIComponent(new URL(url).hostname)));
    for (const [one, other] of [[near, far] as const, [far, near] as const])
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    near.pipe(far).pipe(near);
    sockets.push(near, far);
  });
  await new Promise<void>((resolve) => proxy.listen(file(folder), resolve));
  return {
    url: url.replace(/@[^/]*/, `@${encodeURIComponent(folder)}`),
    stop: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    [Symbol.asyncDispose]: async () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
      await rm(folder, { recursive: true });
    },
  };
}

/** Ends the connections that have run a statement like this last. */
async function cut(url: string, statement: string): Promise<void> {
  await using admin = await PostgresAdmin.open(url);
  await admin.run(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like '${statement}%' and pid <> pg_backend_pid()`);
}

describe.skipIf(!isPostgresInstalled)('a broadcast of the active process', () => {
  it('reaches all that listen, in its order, whatever its length', async () => {
    await using world = await withActive();
    await using one = await listenAt(world.url);
    await using other = await listenAt(world.url);
    const sent = ['a', 'ä'.repeat(100_000), 'a', ''];
    for (const text of sent) await world.broadcaster.send(text);
    await vi.waitFor(() => expect([one.texts, other.texts]).toEqual([sent, sent]), patient);
  });

  it('reports to a listener that its connection has ended, and reaches it again', async () => {
    await using world = await withActive();
    await using one = await listenAt(world.url);
    await cut(world.url, 'listen');
    await vi.waitFor(() => expect(one.onLost).toHaveBeenCalledOnce(), patient);
    await vi.waitFor(() => expect(one.listener.isListening).toBe(true), patient);
    await world.broadcaster.send('again');
    await vi.waitFor(() => expect(one.texts).toEqual(['again']), patient);
  });

  it('reports to a listener that the server does not answer any more, and reaches it again', async () => {
    await using world = await withActive();
    await using through = await way(world.url);
    await using one = await listenAt(through.url, { test: { everyMs: 50, limitMs: 1_000 } });
    through.stop();
    await world.broadcaster.send('missed');
    await vi.waitFor(() => expect(one.onLost).toHaveBeenCalledOnce(), patient);
    await vi.waitFor(() => expect(one.listener.isListening).toBe(true), patient);
    await world.broadcaster.send('again');
    await vi.waitFor(() => expect(one.texts).toEqual(['again']), patient);
  });

  it('is refused as soon as the process has lost its lock at the server', async () => {
    await using world = await withActive();
    await using one = await listenAt(world.url);
    await using admin = await PostgresAdmin.open(world.url);
    const holder = `from pg_locks where ${locked('lcs', 'active')}`;
    await admin.run(`select pg_terminate_backend(pid) ${holder}`);
    await vi.waitFor(async () => expect(await admin.rows(`select pid ${holder}`)).toEqual([]), patient);
    await expect(world.broadcaster.send('late')).rejects.toMatchObject({ code: 'connection_lost' });
    expect(one.texts).toEqual([]);
  });

  it('pauses while a listener that stands still fills the queue of the server', async () => {
    await using world = await withActive({ fullAt: 1e-6 });
    const { broadcaster } = world;
    {
      await using still = await PostgresAdmin.open(world.url);
      await still.run(`listen ${channel}`);
      // Within a transaction it receives nothing.
      await still.run('begin');
      await broadcaster.send('x'.repeat(200_000));
      await vi.waitFor(() => expect(broadcaster.isOpen).toBe(false), patient);
      await expect(broadcaster.send('more')).rejects.toMatchObject({ code: 'connection_lost' });
    }
    await vi.waitFor(() => expect(broadcaster.isOpen).toBe(true), patient);
  });
});
