import { beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '../time/manual-clock.ts';
import { createLiveConnection, type EventStream, type LiveConnection } from './live-connection.ts';

/** A stream whose other end is the test. */
class FakeStream implements EventStream {
  readyState = 0;
  readonly #listeners = new Map<string, ((event: { readonly data?: unknown }) => void)[]>();
  addEventListener(name: string, listener: (event: { readonly data?: unknown }) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }
  close(): void {
    this.readyState = 2;
  }
  say(name: string, data?: string): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(data === undefined ? {} : { data });
  }
  open(): void {
    this.readyState = 1;
    this.say('open');
  }
  /** The browser goes on trying by itself, or gives up. */
  fail(how: 'retrying' | 'given up'): void {
    this.readyState = how === 'retrying' ? 0 : 2;
    this.say('error');
  }
}

let clock: ManualClock;
let streams: FakeStream[];
let heard: string[];
let probes: { readonly answer: () => void; readonly fail: () => void }[];
let live: LiveConnection;

const newest = (): FakeStream => {
  const stream = streams.at(-1);
  if (!stream) throw new Error('no stream was opened');
  return stream;
};
/** Lets promises that are settled run their continuations. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

beforeEach(() => {
  clock = createManualClock();
  streams = [];
  heard = [];
  probes = [];
  live = createLiveConnection({
    clock,
    eventNames: ['experiment', 'task'],
    open: () => {
      const stream = new FakeStream();
      streams.push(stream);
      return stream;
    },
    onEvent: (name, data) => heard.push(`${name} ${data}`),
    probe: () =>
      new Promise((resolve, reject) => {
        probes.push({ answer: () => resolve(), fail: () => reject(new Error('no answer')) });
      }),
    random: () => 1,
  });
  live.start();
});

describe('the live connection', () => {
  it('hands events on and is live from the opening', () => {
    expect(live.getState().phase).toBe('connecting');
    newest().open();
    newest().say('experiment', '{}');
    expect(heard).toEqual(['experiment {}']);
    expect(live.getState().phase).toBe('live');
  });

  it('leaves the browser to retry, so that it goes on where it stopped', () => {
    newest().open();
    newest().fail('retrying');
    expect(live.getState().phase).toBe('reconnecting');
    newest().open();
    expect(live.getState().phase).toBe('live');
    expect(streams).toHaveLength(1);
  });

  it('opens another stream, later and later, when the browser has given up', () => {
    newest().fail('given up');
    clock.advance(999);
    expect(streams).toHaveLength(1);
    clock.advance(1);
    expect(streams).toHaveLength(2);
    newest().fail('given up');
    clock.advance(1999);
    expect(streams).toHaveLength(2);
    clock.advance(1);
    expect(streams).toHaveLength(3);
  });

  it('asks for a sign of life in silence, and is content with one', async () => {
    newest().open();
    clock.advance(2_000);
    probes[0]?.answer();
    await settle();
    expect(live.getState()).toEqual({ phase: 'live', since: 0, heardAt: 2_000 });
    clock.advance(2_000);
    expect(probes).toHaveLength(2);
  });

  it('notices a cut that closed no connection', async () => {
    newest().open();
    const cut = newest();
    clock.advance(2_000);
    probes[0]?.fail();
    await settle();
    expect(live.getState()).toEqual({ phase: 'reconnecting', since: 2_000, heardAt: 0 });
    expect(cut.readyState).toBe(2);
    clock.advance(1000);
    expect(streams).toHaveLength(2);
  });

  it('does not listen to a stream it has left', async () => {
    const left = newest();
    left.open();
    left.fail('given up');
    clock.advance(1000);
    left.say('experiment', 'old');
    left.open();
    expect(heard).toEqual([]);
    expect(live.getState().phase).toBe('reconnecting');
  });

  it('closes the connection while the page is hidden, and opens it again', () => {
    newest().open();
    live.rest();
    expect(newest().readyState).toBe(2);
    clock.advance(60_000);
    expect(streams).toHaveLength(1);
    live.wake();
    newest().open();
    expect(streams).toHaveLength(2);
    expect(live.getState().phase).toBe('live');
  });

  it('is not disturbed by a wake while it is live', () => {
    newest().open();
    live.wake();
    expect(streams).toHaveLength(1);
  });

  it('notifies nothing and opens nothing after its end', () => {
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
