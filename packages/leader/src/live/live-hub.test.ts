import type { LiveSnapshot, Permission } from '@lcs/contract';
import { memoryLog, VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { LiveHub, type LiveHubOptions, type SnapshotSource } from './live-hub.ts';

const empty: LiveSnapshot = {
  server_time: '2026-01-01T00:00:00.000Z',
  version: '1.0.0',
  leader: 'lead',
  experiments: [],
  assignments: [],
  workers: [],
  tasks: [],
  alarms: [],
  stops: [],
  held_jobs: [],
  units: [],
  jobs: [],
};
const atOnce: SnapshotSource = async (mark) => {
  mark();
  return empty;
};
const worker = (reactor_unit: string, is_active: 0 | 1 = 1) => ({
  reactor_unit,
  added_at: '2026-01-01T00:00:00.000Z',
  is_active,
  model_name: null,
  model_version: null,
});

const createHub = (options: Partial<LiveHubOptions> = {}) => {
  const wire = new VirtualClock();
  const log = memoryLog();
  return { wire, log, hub: new LiveHub({ wire, log, run: 'run1', snapshot: atOnce, ...options }) };
};

const forever = new AbortController().signal;
const idOf = (text: string | undefined) => /^id: (.*)$/m.exec(text ?? '')?.[1];
const nameOf = (text: string | undefined) => /^event: (.*)$/m.exec(text ?? '')?.[1];

/** Reads `count` pieces behind the preamble. */
async function read(stream: AsyncGenerator<string>, count: number): Promise<string[]> {
  const texts: string[] = [];
  while (texts.length < count) {
    const next = await stream.next();
    if (next.done) break;
    if (!next.value.startsWith('retry:')) texts.push(next.value);
  }
  return texts;
}

describe('LiveHub', () => {
  it('sends a snapshot first and then every change with increasing ids of this run', async () => {
    const { hub } = createHub();
    hub.publish('worker', 'rx00', worker('rx00'));
    const stream = hub.follow(undefined, forever);
    const [snapshot] = await read(stream, 1);
    expect(snapshot).toBe(`id: run1-1\nevent: snapshot\ndata: ${JSON.stringify(empty)}\n\n`);
    hub.publish('worker', 'rx01', worker('rx01'));
    hub.publish('worker_deleted', 'rx01', { reactor_unit: 'rx01' });
    const changes = await read(stream, 2);
    expect(changes.map(idOf)).toEqual(['run1-2', 'run1-3']);
    expect(changes.map(nameOf)).toEqual(['worker', 'worker_deleted']);
  });

  it('refuses connections beyond the limit of a caller or address, which others do not share', async () => {
    const { hub } = createHub();
    const person = { key: 'person a', limit: 1 };
    const address = { key: 'address 192.0.2.1', limit: 2 };
    const first = hub.follow(undefined, forever, [person, address]);
    await read(first, 1);
    expect(() => hub.follow(undefined, forever, [person])).toThrow(expect.objectContaining({ status: 503 }));
    await read(hub.follow(undefined, forever, [{ key: 'person b', limit: 1 }, address]), 1);
    expect(() => hub.follow(undefined, forever, [address])).toThrow();
    await first.return();
    await read(hub.follow(undefined, forever, [person, address]), 1);
    expect(hub.readers).toBe(2);
  });

  it('refuses connections beyond its limit until one ends, and logs it once', async () => {
    const { hub, log } = createHub({ connections: 2 });
    const first = hub.follow(undefined, forever);
    await read(first, 1);
    // Never read: it takes no place.
    hub.follow(undefined, forever);
    await read(hub.follow(undefined, forever), 1);
    const refusal = { code: 'too_many_live_connections', status: 503, retryAfterS: 5 };
    for (const _ of [1, 2]) {
      expect(() => hub.follow(undefined, forever)).toThrow(expect.objectContaining(refusal));
    }
    expect(log.messages('warn')).toHaveLength(1);
    await first.return();
    await read(hub.follow(undefined, forever), 1);
    expect(hub.readers).toBe(2);
  });

  it('keeps its limit when more streams were let in than are read', async () => {
    const { hub } = createHub({ connections: 2 });
    const streams = [1, 2, 3].map(() => hub.follow(undefined, forever));
    const [one, two, three] = await Promise.all(streams.map((stream) => read(stream, 1)));
    expect([one?.length, two?.length, three?.length]).toEqual([1, 1, 0]);
  });

  it('loses and doubles nothing between snapshot and subscription', async () => {
    const { promise: reading, resolve: finishReading } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<() => void>();
    const { hub } = createHub({
      snapshot: async (mark) => {
        begin(mark);
        await reading;
        return empty;
      },
    });
    const stream = hub.follow(undefined, forever);
    const texts = read(stream, 3);
    const mark = await begun;
    hub.publish('worker', 'before', worker('before'));
    mark();
    hub.publish('worker', 'after', worker('after'));
    finishReading();
    hub.publish('worker', 'later', worker('later'));
    expect((await texts).map(idOf)).toEqual(['run1-1', 'run1-2', 'run1-3']);
    expect((await texts).map(nameOf)).toEqual(['snapshot', 'worker', 'worker']);
    expect((await texts)[1]).toContain('after');
  });

  it('continues where a reader left when all later events are kept', async () => {
    const { hub } = createHub({ recentEvents: 3 });
    for (const unit of ['a', 'b', 'c', 'd', 'e']) hub.publish('worker', unit, worker(unit));
    const resumed = hub.follow('run1-3', forever);
    expect((await read(resumed, 2)).map(idOf)).toEqual(['run1-4', 'run1-5']);
    hub.publish('worker', 'f', worker('f'));
    expect((await read(resumed, 1)).map(idOf)).toEqual(['run1-6']);
  });

  it.each(['run0-3', 'run1-1', 'run1-99', 'run1-', 'run1-x', 'nonsense', ''])(
    'begins with a snapshot for the id %j: of an earlier run, forgotten, or not ours',
    async (id) => {
      const { hub } = createHub({ recentEvents: 3 });
      for (const unit of ['a', 'b', 'c', 'd', 'e']) hub.publish('worker', unit, worker(unit));
      expect((await read(hub.follow(id, forever), 1)).map(nameOf)).toEqual(['snapshot']);
    },
  );

  it('gives a reader that was behind only the newest of each topic', async () => {
    const { hub } = createHub({ limits: { logEntries: 5, characters: 10_000, burst: 4 } });
    const stream = hub.follow(undefined, forever);
    await read(stream, 1);
    for (let round = 0; round < 100; round++) {
      hub.publish('worker', 'rx01', worker('rx01', round % 2 === 0 ? 1 : 0));
      hub.publish('worker', 'rx02', worker('rx02'));
    }
    const ids = ['run1-1', 'run1-2', 'run1-199', 'run1-200'];
    expect((await read(stream, 4)).map(idOf)).toEqual(ids);
  });

  it('gives a reader that is not behind every event, also those of one topic that come together', async () => {
    const { hub } = createHub();
    const stream = hub.follow(undefined, forever);
    await read(stream, 1);
    for (const is of [0, 1, 0] as const) hub.publish('worker', 'rx01', worker('rx01', is));
    expect((await read(stream, 3)).map(idOf)).toEqual(['run1-1', 'run1-2', 'run1-3']);
  });

  it('closes the connection of a reader that is too slow, without an effect on others', async () => {
    const { hub } = createHub({ limits: { logEntries: 5, characters: 500, burst: 10 } });
    const slow = hub.follow(undefined, forever);
    const quick = hub.follow(undefined, forever);
    await Promise.all([read(slow, 1), read(quick, 1)]);
    for (const unit of ['a', 'b', 'c', 'd', 'e', 'f']) {
      hub.publish('worker', unit, worker(unit));
      expect((await read(quick, 1)).length).toBe(1);
    }
    expect((await slow.next()).done).toBe(true);
    expect(hub.readers).toBe(1);
  });

  it('shares one string per event among 200 readers, and one snapshot among those that come together', async () => {
    let snapshots = 0;
    const { promise: ready, resolve: letRead } = Promise.withResolvers<void>();
    const { hub } = createHub({
      snapshot: async (mark) => {
        snapshots += 1;
        await ready;
        mark();
        return empty;
      },
    });
    const streams = Array.from({ length: 200 }, () => hub.follow(undefined, forever));
    const first = Promise.all(streams.map((stream) => read(stream, 1)));
    letRead();
    await first;
    expect(snapshots).toBe(1);
    expect(hub.readers).toBe(200);
    let serialised = 0;
    hub.publish('worker', 'rx01', {
      ...worker('rx01'),
      get reactor_unit() {
        serialised += 1;
        return 'rx01';
      },
    });
    const texts = await Promise.all(streams.map((stream) => read(stream, 1)));
    expect(new Set(texts.flat()).size).toBe(1);
    expect(serialised).toBe(1);
    await Promise.all(streams.map((stream) => stream.return()));
    expect(hub.readers).toBe(0);
  });

  it('sends a comment every 15 s to a silent connection', async () => {
    const { hub, wire } = createHub();
    await hub.start();
    const stream = hub.follow(undefined, forever);
    await read(stream, 1);
    const comment = read(stream, 1);
    await wire.advance(15_000);
    expect(await comment).toEqual([': keep-alive\n\n']);
    await hub.stop();
    expect(wire.pendingTimers).toBe(0);
  });

  it('ends all connections when it stops, and takes no new ones', async () => {
    const { hub } = createHub();
    await hub.start();
    const stream = hub.follow(undefined, forever);
    await read(stream, 1);
    const next = stream.next();
    await hub.stop();
    expect((await next).done).toBe(true);
    expect(() => hub.follow(undefined, forever)).toThrow('stopping');
  });

  it('ends a connection when its caller goes away while it waits', async () => {
    const { hub } = createHub();
    const caller = new AbortController();
    const stream = hub.follow(undefined, caller.signal);
    await read(stream, 1);
    const next = stream.next();
    caller.abort();
    expect((await next).done).toBe(true);
    expect(hub.readers).toBe(0);
  });

  it('closes the connection, and logs why, when the snapshot cannot be read', async () => {
    const { hub, log } = createHub({
      snapshot: async () => {
        throw new Error('disk');
      },
    });
    expect(await read(hub.follow(undefined, forever), 1)).toEqual([]);
    expect(log.messages('error')).toHaveLength(1);
    expect(hub.readers).toBe(0);
  });
});

describe('what a reader may see', () => {
  const only = (...names: Permission[]) => new Set<Permission>(names);
  const full: LiveSnapshot = { ...empty, workers: [worker('rx01')], assignments: [] };

  it('limits its events and its snapshot', async () => {
    const { hub } = createHub({
      snapshot: async (mark) => {
        mark();
        return full;
      },
    });
    const few = hub.follow(undefined, forever, [], () => only('experiments.read', 'logs.read'));
    const many = hub.follow(undefined, forever, [], () => only('experiments.read', 'inventory.read'));
    const [[seen = ''], [all = '']] = await Promise.all([read(few, 1), read(many, 1)]);
    expect(seen).toContain('"workers":[]');
    expect(all).toContain('rx01');
    hub.publish('worker', 'rx02', worker('rx02'));
    hub.publish('experiment_deleted', 'a', { experiment: 'a' });
    expect((await read(few, 1)).map(nameOf)).toEqual(['experiment_deleted']);
    expect((await read(many, 2)).map(nameOf)).toEqual(['worker', 'experiment_deleted']);
  });

  it('is checked for the events that it missed, too', async () => {
    const { hub } = createHub();
    hub.publish('experiment_deleted', 'a', { experiment: 'a' });
    hub.publish('worker', 'rx02', worker('rx02'));
    hub.publish('experiment_deleted', 'b', { experiment: 'b' });
    const few = hub.follow('run1-1', forever, [], () => only('experiments.read'));
    expect((await read(few, 1)).map(idOf)).toEqual(['run1-3']);
  });

  it('ends its stream when it changes or is gone, at once and at the next keep-alive', async () => {
    for (const after of [only('experiments.read'), undefined]) {
      const { hub, wire } = createHub();
      await hub.start();
      let rights: ReadonlySet<Permission> | undefined = only('experiments.read', 'logs.read');
      const [told, unaware, other] = [
        hub.follow(undefined, forever, [], () => rights),
        hub.follow(undefined, forever, [], () => rights),
        hub.follow(undefined, forever),
      ];
      await Promise.all([read(told, 1), read(other, 1)]);
      rights = after;
      hub.checkRights();
      expect((await told.next()).done).toBe(true);
      rights = only('experiments.read', 'logs.read');
      await read(unaware, 1);
      rights = after;
      await wire.advance(15_000);
      expect((await unaware.next()).done).toBe(true);
      expect(hub.readers).toBe(1);
      await hub.stop();
    }
  });
});
