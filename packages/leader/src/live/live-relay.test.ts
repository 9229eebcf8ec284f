import { allPermissions, type LiveEvents, type LiveSnapshot, type Permission } from '@lcs/contract';
import { memoryLog, VirtualClock } from '@lcs/platform';
import { describe, expect, it, vi } from 'vitest';
import { LiveHub } from './live-hub.ts';
import { positionOf } from './live-position.ts';
import { LiveRelay } from './live-relay.ts';

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
const logEntry: LiveEvents['log'] = {
  timestamp: '2026-01-01T00:00:00.000Z',
  level: 'INFO',
  message: 'm',
  task: 't',
  source: 'app',
  reactor_unit: 'u',
  experiment: 'a',
};
const forever = new AbortController().signal;
const idsIn = (texts: readonly string[]) => texts.flatMap((text) => /^id: (.*)$/m.exec(text)?.slice(1) ?? []);

/** The hub of an active process with its broadcast, which is received only when the test says so. */
function createWorld(run = 'run1') {
  const wire = new VirtualClock();
  const log = memoryLog();
  const sent: string[] = [];
  const state = { isOpen: true, fails: false };
  const port = {
    get isOpen() {
      return state.isOpen;
    },
    send: async (text: string) => {
      if (state.fails) throw new Error('away');
      sent.push(text);
    },
  };
  const snapshot = async (mark: () => void) => {
    mark();
    return empty;
  };
  const hub = new LiveHub({ wire, log, run, snapshot, broadcast: port });
  const change = (experiment: string) => hub.publish('experiment_deleted', experiment, { experiment });
  return { wire, log, sent, state, hub, change };
}
type World = ReturnType<typeof createWorld>;

/** What the active process answers: the beginning for the client, and the position. */
async function begin({ hub }: World, lastEventId?: string, permissions: ReadonlySet<Permission> = allPermissions) {
  const stream = hub.relay(lastEventId, forever, [], () => permissions);
  await stream.next();
  const { value = '' } = await stream.next();
  const pieces = value.split('\n\n').filter((piece) => piece !== '');
  const position = positionOf(`${pieces.pop() ?? ''}\n\n`);
  if (position === undefined) throw new Error(`No position: ${value}`);
  return { stream, position, pieces };
}

const settle = () => new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));

describe('live events of other processes', () => {
  it('follow the beginning of the active process without a gap and once, whatever comes first', async () => {
    const world = createWorld();
    const relay = new LiveRelay();
    world.change('before');
    const { position, pieces } = await begin(world);
    expect(idsIn(pieces)).toEqual(['run1-1']);
    world.change('a');
    world.change('b');
    await settle();
    const [a = '', ...more] = world.sent;
    relay.receive(a);
    const follower = relay.follow(position, relay.losses);
    for (const text of more) relay.receive(text);
    expect(idsIn([(await follower.next()) ?? '', (await follower.next()) ?? ''])).toEqual(['run1-2', 'run1-3']);
    const late = relay.follow({ ...position, after: 'run1-2' }, relay.losses);
    expect(idsIn([(await late.next()) ?? ''])).toEqual(['run1-3']);
  });

  it('of one topic that are broadcast together are all sent', async () => {
    const world = createWorld();
    const relay = new LiveRelay();
    const { position } = await begin(world);
    const follower = relay.follow(position, relay.losses);
    for (const _ of [1, 2, 3, 4]) world.change('a');
    await settle();
    // The first one alone, the others while it was on its way.
    expect(world.sent).toHaveLength(2);
    for (const text of world.sent) relay.receive(text);
    const texts: string[] = [];
    for (const _ of [1, 2, 3, 4]) texts.push((await Promise.race([follower.next(), settle()])) ?? '');
    expect(idsIn(texts)).toEqual(['run1-1', 'run1-2', 'run1-3', 'run1-4']);
  });

  it('are broadcast only while somebody waits for them', async () => {
    const world = createWorld();
    world.change('a');
    await settle();
    expect(world.sent).toEqual([]);
    const { stream } = await begin(world);
    world.change('b');
    await settle();
    expect(world.sent).toHaveLength(1);
    await stream.return();
    world.change('c');
    await settle();
    expect(world.sent).toHaveLength(1);
  });

  it('continue after the last event of a client, with what it has missed and may see', async () => {
    const world = createWorld();
    world.change('a');
    world.change('b');
    world.hub.publish('log', 'a/t', logEntry);
    const { position, pieces } = await begin(world, 'run1-1', new Set(['experiments.read']));
    expect(idsIn(pieces)).toEqual(['run1-2']);
    expect(position).toEqual({ after: 'run1-3', permissions: ['experiments.read'] });
  });

  it('are those that the client may see', async () => {
    const world = createWorld();
    const relay = new LiveRelay();
    const { position } = await begin(world, undefined, new Set(['experiments.read']));
    const follower = relay.follow(position, relay.losses);
    world.hub.publish('log', 'a/t', logEntry);
    world.change('a');
    await settle();
    for (const text of world.sent) relay.receive(text);
    expect(idsIn([(await follower.next()) ?? ''])).toEqual(['run1-2']);
  });

  it('end the stream when one is missing, and where the active process ends it', async () => {
    const world = createWorld();
    const relay = new LiveRelay();
    const { position } = await begin(world);
    const one = relay.follow(position, relay.losses);
    world.change('a');
    await settle();
    world.change('b');
    await settle();
    const [, second = ''] = world.sent;
    relay.receive(second);
    expect(await one.next()).toBeUndefined();
    expect(await relay.follow(position, relay.losses).next()).toBeUndefined();
    const other = relay.follow({ ...position, after: 'run1-2' }, relay.losses);
    other.end();
    expect(await other.next()).toBeUndefined();
  });

  it('end the stream when the last ones do not come until the next report', async () => {
    const relay = new LiveRelay();
    const position = { after: 'run1-1', permissions: [] };
    const follower = relay.follow(position, relay.losses);
    follower.report(position);
    expect(await follower.next()).toBe(': keep-alive\n\n');
    follower.report({ ...position, after: 'run1-2' });
    expect(await follower.next()).toBe(': keep-alive\n\n');
    follower.report({ ...position, after: 'run1-2' });
    expect(await follower.next()).toBeUndefined();
  });

  it('end all streams after a loss, those included that were begun before it', async () => {
    const relay = new LiveRelay();
    const position = { after: 'run1-1', permissions: [] };
    const { losses } = relay;
    const follower = relay.follow(position, losses);
    relay.lose();
    expect(await follower.next()).toBeUndefined();
    expect(await relay.follow(position, losses).next()).toBeUndefined();
  });

  it('do not mix with those of a process that was active before', async () => {
    const before = createWorld('run1');
    const now = createWorld('run2');
    const relay = new LiveRelay();
    await begin(before);
    const { position } = await begin(now);
    const follower = relay.follow(position, relay.losses);
    before.change('old');
    now.change('new');
    await settle();
    for (const text of [...before.sent, ...now.sent]) relay.receive(text);
    expect(await follower.next()).toContain('"new"');
  });
});

describe('the active process', () => {
  it('sends all events itself while it can broadcast nothing', async () => {
    const world = createWorld();
    world.state.isOpen = false;
    const stream = world.hub.relay(undefined, forever);
    await stream.next();
    const { value = '' } = await stream.next();
    expect(value).not.toContain(': position');
    world.change('a');
    expect(idsIn([(await stream.next()).value ?? ''])).toEqual(['run1-1']);
    expect(world.sent).toEqual([]);
  });

  it('ends relayed streams when a broadcast fails, and says so once', async () => {
    const world = createWorld();
    const { stream } = await begin(world);
    world.state.fails = true;
    world.change('a');
    expect((await stream.next()).done).toBe(true);
    expect(world.log.messages('warn')).toHaveLength(1);
  });

  it('ends relayed streams when the rights of the client change', async () => {
    const world = createWorld();
    const rights = vi.fn((): ReadonlySet<Permission> | undefined => new Set(['experiments.read'] as const));
    const stream = world.hub.relay(undefined, forever, [], rights);
    await stream.next();
    await stream.next();
    rights.mockReturnValue(undefined);
    world.hub.checkRights();
    expect((await stream.next()).done).toBe(true);
  });

  it('reports its position with each keep-alive, and ends streams when the broadcast has closed', async () => {
    const world = createWorld();
    await world.hub.start();
    const { stream } = await begin(world);
    world.change('a');
    await world.wire.advance(15_000);
    expect(positionOf((await stream.next()).value ?? '')?.after).toBe('run1-1');
    world.state.isOpen = false;
    await world.wire.advance(15_000);
    expect((await stream.next()).done).toBe(true);
    await world.hub.stop();
  });
});
