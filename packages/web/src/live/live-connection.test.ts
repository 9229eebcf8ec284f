import { beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '../time/manual-clock.ts';
import { createLiveConnection, type EventStream, type LiveConnection } from './live-connection.ts';

/** A stream whose events the test sends. */
class FakeStream implements EventStream {
  readyState = 0;
  readonly #listeners = new Map<string, ((event: { readonly data?: unknown }) => void)[]>();
  addEventListener(name: string, listener: (event: { readonly data?: unknown }) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }
  close(): void {
    this.readyState = 2;
  }
  send(name: string, data?: string): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(data === undefined ? {} : { data });
  }
  open(): void {
    this.readyState = 1;
    this.send('open');
  }
  /** The browser retries, or gives up. */
  fail(how: 'retrying' | 'given-up'): void {
    this.readyState = how === 'retrying' ? 0 : 2;
    this.send('error');
  }
}

let clock: ManualClock;
let streams: FakeStream[];
let received: string[];
let probes: { readonly answer: () => void; readonly fail: () => void }[];
let live: LiveConnection;

const newest = (): FakeStream => {
  const stream = streams.at(-1);
  if (!stream) throw new Error('no stream was opened');
  return stream;
};
/** Runs the continuations of settled promises. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

beforeEach(() => {
  clock = createManualClock();
  streams = [];
  received = [];
  probes = [];
  live = createLiveConnection({
    clock,
    eventNames: ['experiment', 'task'],
    open: () => {
      const stream = new FakeStream();
      streams.push(stream);
      return stream;
    },
    onEvent: (name, data) => received.push(`${name} ${data}`),
    probe: () =>
      new Promise((resolve, reject) => {
        probes.push({ answer: () => resolve(), fail: () => reject(new Error('no answer')) });
      }),
    random: () => 1,
  });
  live.start();
});

describe('the live connection', () => {
  it('passes events on and is live once opened', () => {
    expect(live.getState().phase).toBe('connecting');
    newest().open();
    newest().send('experiment', '{}');
    expect(received).toEqual(['experiment {}']);
    expect(live.getState().phase).toBe('live');
  });

  it('lets the browser retry, so that the stream continues where it stopped', () => {
    newest().open();
    newest().fail('retrying');
    expect(live.getState().phase).toBe('reconnecting');
    newest().open();
    expect(live.getState().phase).toBe('live');
    expect(streams).toHaveLength(1);
  });

  it('opens another stream, after growing pauses, when the browser has given up', () => {
    newest().fail('given-up');
    clock.advance(999);
    expect(streams).toHaveLength(1);
    clock.advance(1);
    expect(streams).toHaveLength(2);
    newest().fail('given-up');
    clock.advance(1999);
    expect(streams).toHaveLength(2);
    clock.advance(1);
    expect(streams).toHaveLength(3);
  });

  it('goes on to probe when each response is noted before its probe ends', async () => {
    newest().open();
    for (const count of [1, 2, 3]) {
      clock.advance(2_000);
      expect(probes).toHaveLength(count);
      live.noteAnswer();
      probes.at(-1)?.answer();
      await settle();
    }
  });

  it('probes the leader when no events come, and stays live after a response', async () => {
    newest().open();
    clock.advance(2_000);
    probes[0]?.answer();
    await settle();
    expect(live.getState()).toEqual({ phase: 'live', since: 0, receivedAt: 2_000 });
    clock.advance(2_000);
    expect(probes).toHaveLength(2);
  });

  it('detects a cut cable, which closes no connection', async () => {
    newest().open();
    const cut = newest();
    clock.advance(2_000);
    probes[0]?.fail();
    await settle();
    expect(live.getState()).toEqual({ phase: 'reconnecting', since: 2_000, receivedAt: 0 });
    expect(cut.readyState).toBe(2);
    clock.advance(1000);
    expect(streams).toHaveLength(2);
  });

  it('ignores events of a closed stream', async () => {
    const left = newest();
    left.open();
    left.fail('given-up');
    clock.advance(1000);
    left.send('experiment', 'old');
    left.open();
    expect(received).toEqual([]);
    expect(live.getState().phase).toBe('reconnecting');
  });

  it('closes the connection while the page is hidden, and opens it again', () => {
    newest().open();
    live.suspend();
    expect(newest().readyState).toBe(2);
    clock.advance(60_000);
    expect(streams).toHaveLength(1);
    live.resume();
    newest().open();
    expect(streams).toHaveLength(2);
    expect(live.getState().phase).toBe('live');
  });

  it('ignores resume while it is live', () => {
    newest().open();
    live.resume();
    expect(streams).toHaveLength(1);
  });

  it('notifies nothing and opens nothing after stop', () => {
    newest().open();
    live.stop();
    clock.advance(60_000);
    expect(streams).toHaveLength(1);
    expect(probes).toHaveLength(0);
  });

  it('notifies its listeners of each change of the state until they unsubscribe', () => {
    const phases: string[] = [];
    const stop = live.subscribe(() => phases.push(live.getState().phase));
    newest().open();
    newest().fail('retrying');
    stop();
    newest().open();
    expect(phases).toEqual(['live', 'reconnecting']);
  });
});
