import { type Duplex, duplexPair } from 'node:stream';
import type { Caller, LogEntry } from '@lcs/contract';
import { silentLog, VirtualClock } from '@lcs/platform';
import { describe, expect, it, vi } from 'vitest';
import type { Followers } from '../follower/feed-followers.ts';
import type { FeedBatch, FeedMark } from '../follower/ingest-port.ts';
import type { FromIngest, ToIngest } from './ingest-messages.ts';
import { IngestProcesses } from './ingest-processes.ts';
import { MessageChannel } from './message-channel.ts';

const ingestCaller: Caller = { kind: 'leader', id: 'ingest', personId: '', name: 'ingest', permissions: new Set() };
const origin = { address: '', isSecure: false, isUnixSocket: false, peerKey: undefined };
const units = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8'];

const batchOf = (unit: string, upTo: number): FeedBatch => ({
  unit,
  epoch: 'e',
  after: upTo - 1,
  upTo,
  headSeq: upTo,
  series: [],
  records: [],
  forgotten: undefined,
});

/** The followers of the active process. */
class LocalFollowers implements Followers {
  readonly units = new Set<string>();

  follow(unit: string): void {
    this.units.add(unit);
  }

  async unfollow(unit: string): Promise<void> {
    this.units.delete(unit);
  }

  enrolled(): void {}

  async stop(): Promise<void> {
    this.units.clear();
  }
}

async function started(registered: readonly string[] = []) {
  const wire = new VirtualClock();
  const local = new LocalFollowers();
  const register = new Set(registered);
  const fenced: string[] = [];
  const positions = new Map<string, FeedMark>();
  const taken: number[] = [];
  const logged: LogEntry[] = [];
  const processes = new IngestProcesses(
    {
      register: {
        processes: async () => [...register],
        fence: async (process) => {
          fenced.push(process);
          register.delete(process);
        },
      },
      wire,
      log: silentLog(),
      factsOf: (unit) => ({ unit, url: `http://${unit}`, token: null, publicKey: null, machineId: null, epoch: 'e' }),
      positionOf: (unit) => positions.get(unit),
      onAnswer: () => {},
      onPosition: (unit, mark) => positions.set(unit, mark),
      onRefusal: () => {},
      onStored: ({ upTo }) => taken.push(upTo),
      onCorrection: () => {},
      onLogged: (entry) => logged.push(entry),
    },
    local,
  );
  await processes.start();
  return { wire, local, register, fenced, positions, taken, logged, processes };
}

type Started = Awaited<ReturnType<typeof started>>;

/** An ingest process that follows its assigned units, and answers at once unless it is `stubborn`. */
class FakeProcess {
  readonly followed = new Map<string, FeedMark | null>();
  readonly messages: ToIngest[] = [];
  readonly socket: Duplex;
  isStubborn = false;
  channel: MessageChannel<FromIngest, ToIngest> | undefined;

  constructor({ processes, register }: Started, id: string) {
    register.add(id);
    const [mine, theirs] = duplexPair();
    this.socket = mine;
    // Behind the line of the handshake.
    mine.once('data', (answer: Buffer) => {
      const end = answer.indexOf('\r\n\r\n') + 4;
      this.channel = new MessageChannel({
        socket: mine,
        head: answer.subarray(end),
        wire: new VirtualClock(),
        onMessage: (message: ToIngest) => this.#receive(message),
      });
      this.channel.send({ is: 'hello', process: id });
    });
    const request = Object.assign(Object.create(null), { headers: {} });
    processes.accept(request, theirs, Buffer.alloc(0), ingestCaller, origin);
  }

  #receive(message: ToIngest): void {
    this.messages.push(message);
    if (message.is === 'follow') this.followed.set(message.of.unit, message.from);
    if (message.is !== 'unfollow' || this.isStubborn) return;
    this.followed.delete(message.unit);
    this.channel?.send({ is: 'unfollowed', unit: message.unit });
  }
}

const split = (
  ...all: readonly { readonly units?: ReadonlySet<string>; readonly followed?: ReadonlyMap<string, unknown> }[]
) => all.flatMap(({ units: own, followed }) => [...(own ?? followed?.keys() ?? [])]).sort();

describe('the units of ingest processes', () => {
  it('are read by the active process while there is none', async () => {
    const cluster = await started();
    for (const unit of units) cluster.processes.follow(unit);
    await vi.waitFor(() => expect(split(cluster.local)).toEqual(units));
    await cluster.processes.unfollow('u1');
    expect(split(cluster.local)).toEqual(units.slice(1));
  });

  it('are shared out, each to one; few move when one joins, and all when one is gone, once it can store nothing', async () => {
    const cluster = await started();
    for (const unit of units) cluster.processes.follow(unit);
    const a = new FakeProcess(cluster, 'a');
    await vi.waitFor(() => expect(split(a)).toEqual(units));
    expect(split(cluster.local)).toEqual([]);
    const b = new FakeProcess(cluster, 'b');
    await vi.waitFor(() => expect(b.followed.size).toBeGreaterThan(0));
    await vi.waitFor(() => expect(split(a, b)).toEqual(units));
    expect(a.followed.size).toBeGreaterThan(0);
    a.socket.destroy();
    await vi.waitFor(() => expect(split(b)).toEqual(units));
    expect(cluster.fenced).toEqual(['a']);
  });

  it('are read from the position that was taken, not from the one that was stored', async () => {
    const cluster = await started();
    cluster.processes.follow('u1');
    const a = new FakeProcess(cluster, 'a');
    await vi.waitFor(() => expect(a.followed.get('u1')).toBeNull());
    a.channel?.send({ is: 'stored', number: 1, batch: batchOf('u1', 7) });
    await vi.waitFor(() => expect(a.messages.at(-1)).toEqual({ is: 'taken', number: 1 }));
    expect(cluster.taken).toEqual([7]);
    a.socket.destroy();
    await vi.waitFor(() => expect(split(cluster.local)).toEqual(['u1']));
    const b = new FakeProcess(cluster, 'b');
    await vi.waitFor(() => expect(b.followed.get('u1')).toEqual({ epoch: 'e', seq: 7 }));
  });

  it('move when a process is silent for 4 s; it is fenced first', async () => {
    const cluster = await started();
    cluster.processes.follow('u1');
    const a = new FakeProcess(cluster, 'a');
    await vi.waitFor(() => expect(split(a)).toEqual(['u1']));
    // Its own clock stands still.
    await cluster.wire.advance(4_000);
    expect(cluster.fenced).toEqual([]);
    await cluster.wire.advance(1_000);
    await vi.waitFor(() => expect(split(cluster.local)).toEqual(['u1']));
    expect(cluster.fenced).toEqual(['a']);
  });

  it('wait at the start for processes that may still read them, until those connect or are fenced', async () => {
    const cluster = await started(['a', 'b']);
    cluster.processes.follow('u1');
    const settled = vi.fn();
    void cluster.processes.settled().then(settled);
    const a = new FakeProcess(cluster, 'a');
    await vi.waitFor(() => expect(a.channel).toBeDefined());
    await cluster.wire.advance(3_000);
    expect([split(cluster.local), split(a), settled.mock.calls.length]).toEqual([[], [], 0]);
    await cluster.wire.advance(1_000);
    await vi.waitFor(() => expect(split(a)).toEqual(['u1']));
    expect(cluster.fenced).toEqual(['b']);
  });

  it('do not move before the one that reads them has confirmed it', async () => {
    const cluster = await started();
    for (const unit of units) cluster.processes.follow(unit);
    const a = new FakeProcess(cluster, 'a');
    await vi.waitFor(() => expect(split(a)).toEqual(units));
    a.isStubborn = true;
    const b = new FakeProcess(cluster, 'b');
    await vi.waitFor(() => expect(a.messages.some(({ is }) => is === 'unfollow')).toBe(true));
    expect(split(b)).toEqual([]);
    a.socket.destroy();
    await vi.waitFor(() => expect(split(b)).toEqual(units));
  });

  it('are reported by the process that reads them, with what it has written into the event log', async () => {
    const cluster = await started();
    const a = new FakeProcess(cluster, 'a');
    const entry: LogEntry = {
      timestamp: '2026-11-27T00:00:00.000Z',
      level: 'ERROR',
      message: 'u1 has sent records of an unknown kind.',
      task: 'feed',
      source: 'app',
      reactor_unit: 'u1',
      experiment: '$experiment',
    };
    await vi.waitFor(() => expect(a.channel).toBeDefined());
    a.channel?.send({ is: 'logged', entry });
    await vi.waitFor(() => expect(cluster.logged).toEqual([entry]));
  });

  it('are not given to a process that is not registered', async () => {
    const cluster = await started();
    const a = new FakeProcess(cluster, 'a');
    cluster.register.delete('a');
    await vi.waitFor(() => expect(a.messages).toEqual([{ is: 'fenced' }]));
  });
});
