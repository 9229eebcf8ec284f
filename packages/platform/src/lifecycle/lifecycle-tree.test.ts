import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { memoryLog } from '../log/memory-log.ts';
import type { Service } from './in-order.ts';
import { StopTimedOut } from './in-order.ts';
import { LifecycleTree } from './lifecycle-tree.ts';

function world() {
  const wire = new VirtualClock();
  const log = memoryLog();
  const events: string[] = [];
  const part = (name: string, behaviour: Partial<Service> = {}): Service => ({
    name,
    start: async (signal) => {
      events.push(`${name} up`);
      await behaviour.start?.(signal);
    },
    stop: async () => {
      await behaviour.stop?.();
      events.push(`${name} down`);
    },
  });
  const options = { log, wire, stopLimitMs: 1000 };
  return { wire, log, events, part, options, tree: (parts: Service[]) => new LifecycleTree('node', parts, options) };
}

const never = () => new Promise<void>(() => {});
const running = new AbortController().signal;
const errorOf = (work: Promise<void>) => work.then(() => undefined).catch((error: unknown) => error);

describe('a lifecycle tree', () => {
  it('starts its parts in order and stops them in reverse order', async () => {
    const { events, part, tree } = world();
    const node = tree([part('store'), part('bus'), part('http')]);
    expect(node.state).toEqual({ kind: 'idle' });
    await node.start(running);
    expect(node.state).toEqual({ kind: 'running' });
    await node.stop();
    expect(node.state).toEqual({ kind: 'stopped' });
    expect(events).toEqual(['store up', 'bus up', 'http up', 'http down', 'bus down', 'store down']);
  });

  it('waits for each stop before the next', async () => {
    const { events, part, tree } = world();
    const drained = Promise.withResolvers<void>();
    const node = tree([part('store'), part('http', { stop: () => drained.promise })]);
    await node.start(running);
    const stopped = node.stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(['store up', 'http up']);
    drained.resolve();
    await stopped;
    expect(events).toEqual(['store up', 'http up', 'http down', 'store down']);
  });

  it('stops once, however often stop is called', async () => {
    const { events, part, tree } = world();
    const node = tree([part('store')]);
    await node.start(running);
    await Promise.all([node.stop(), node.stop()]);
    await node.stop();
    expect(events).toEqual(['store up', 'store down']);
  });

  it('stops without having been started, and does not start any more', async () => {
    const { events, part, tree } = world();
    const node = tree([part('store')]);
    await node.stop();
    await expect(node.start(running)).rejects.toThrow('stopped');
    expect(events).toEqual([]);
  });

  it('does not start twice', async () => {
    const { part, tree } = world();
    const node = tree([part('store')]);
    await node.start(running);
    await expect(node.start(running)).rejects.toThrow('running');
    await node.stop();
  });

  it('stops what was up when a part does not start, and throws that very error', async () => {
    const { events, part, tree } = world();
    const inUse = new Error('the port is in use');
    const node = tree([part('store'), part('bus'), part('http', { start: () => Promise.reject(inUse) }), part('jobs')]);
    expect(await errorOf(node.start(running))).toBe(inUse);
    expect(node.state).toEqual({ kind: 'failed', error: inUse });
    expect(events).toEqual(['store up', 'bus up', 'http up', 'bus down', 'store down']);
    await node.stop();
    expect(inUse.cause).toBeUndefined();
  });

  it('adds what went wrong while undoing to the cause of the error', async () => {
    const { log, events, part, tree } = world();
    const before = new Error('EADDRINUSE');
    const inUse = new Error('the port is in use', { cause: before });
    const busError = new Error('the bus is stuck');
    const node = tree([
      part('store'),
      part('bus', { stop: () => Promise.reject(busError) }),
      part('http', { start: () => Promise.reject(inUse) }),
    ]);
    expect(await errorOf(node.start(running))).toBe(inUse);
    expect(inUse.cause).toBeInstanceOf(AggregateError);
    expect(inUse.cause).toMatchObject({ errors: [busError], cause: before });
    expect(log.messages('error')).toEqual(['bus did not stop cleanly.']);
    expect(events.at(-1)).toBe('store down');
  });

  it('continues to stop when a part fails to, and names it', async () => {
    const { log, events, part, tree } = world();
    const node = tree([
      part('store'),
      part('bus', {
        stop: () => {
          throw new Error('thrown before the first await');
        },
      }),
    ]);
    await node.start(running);
    const error = await errorOf(node.stop());
    expect(error).toBeInstanceOf(AggregateError);
    expect(log.messages('error')).toEqual(['bus did not stop cleanly.']);
    expect(events).toEqual(['store up', 'bus up', 'store down']);
    expect(node.state).toEqual({ kind: 'stopped' });
    expect(await errorOf(node.stop())).toBe(error);
  });

  it('leaves a part behind that does not stop in time, and names it', async () => {
    const { wire, log, events, part, tree } = world();
    const node = tree([part('store'), part('camera', { stop: never })]);
    await node.start(running);
    const stopped = errorOf(node.stop());
    await wire.advance(999);
    expect(events).not.toContain('store down');
    await wire.advance(1);
    expect(await stopped).toMatchObject({ errors: [expect.any(StopTimedOut)] });
    expect(events).toContain('store down');
    expect(log.lines.at(-1)).toMatchObject({
      message: 'camera did not stop within 1000 ms.',
      fields: { part: 'camera', of: 'node' },
    });
    // A part that is merely late has nothing to show but its name: no stack.
    expect(log.lines.at(-1)?.fields).not.toHaveProperty('error');
    expect(wire.pendingTimers).toBe(0);
  });

  it('logs when a part that was left running stops after all', async () => {
    const { wire, log, part, tree } = world();
    const released = Promise.withResolvers<void>();
    const node = tree([part('camera', { stop: () => released.promise })]);
    await node.start(running);
    const stopped = errorOf(node.stop());
    await wire.advance(1000);
    await stopped;
    released.resolve();
    await wire.advance(0);
    expect(log.messages('warn')).toEqual([expect.stringContaining('camera')]);
  });

  it('names the part that hangs in a tree inside the tree, not the whole inner tree', async () => {
    const { wire, events, log, part, options, tree } = world();
    const unit = new LifecycleTree('unit', [part('outbox'), part('camera', { stop: never })], options);
    const node = tree([part('store'), unit]);
    await node.start(running);
    const stopped = errorOf(node.stop());
    await wire.advance(1000);
    expect(await stopped).toBeInstanceOf(AggregateError);
    expect(log.messages('error')).toEqual(['camera did not stop within 1000 ms.']);
    expect(events.slice(-2)).toEqual(['outbox down', 'store down']);
  });

  it('cuts a start that is under way when it is stopped, undoes it and waits', async () => {
    const { events, part, tree } = world();
    const slow: Partial<Service> = {
      start: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    };
    const node = tree([part('store'), part('slow', slow), part('http')]);
    const started = errorOf(node.start(running));
    await new Promise((resolve) => setImmediate(resolve));
    await node.stop();
    expect(events).toEqual(['store up', 'slow up', 'store down']);
    expect(await started).toMatchObject({ message: 'node was stopped before it had started.' });
    expect(node.state.kind).toBe('failed');
  });

  it('stops also the part that finished its start although it was cut', async () => {
    const { events, part, tree } = world();
    const cut = new AbortController();
    const node = tree([part('deaf', { start: async () => cut.abort(new Error('SIGTERM')) }), part('http')]);
    await expect(node.start(cut.signal)).rejects.toThrow('SIGTERM');
    expect(events).toEqual(['deaf up', 'deaf down']);
  });

  it('does not let an abort after the start reach its parts', async () => {
    const { part, tree } = world();
    const cut = new AbortController();
    let given: AbortSignal | undefined;
    const node = tree([
      part('store', {
        start: async (signal) => {
          given = signal;
        },
      }),
    ]);
    await node.start(cut.signal);
    cut.abort();
    await node.stop();
    expect(given?.aborted).toBe(false);
  });

  it('stops exactly what was started, in reverse, whichever part fails to start and whichever fail to stop', async () => {
    const plans = fc.array(fc.record({ startFails: fc.boolean(), stopFails: fc.boolean() }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(plans, async (planned) => {
        const { events, part, tree } = world();
        const broken = planned.findIndex(({ startFails }) => startFails);
        const started = broken < 0 ? planned.length : broken;
        const parts = planned.map(({ startFails, stopFails }, index) =>
          part(`${index}`, {
            start: async () => {
              if (startFails) throw new Error(`start ${index}`);
            },
            stop: async () => {
              events.push(`${index} told`);
              if (stopFails) throw new Error(`stop ${index}`);
            },
          }),
        );
        const node = tree(parts);
        const startError = await errorOf(node.start(running));
        if (broken >= 0) expect(startError).toMatchObject({ message: `start ${broken}` });
        const stopError = await errorOf(node.stop());
        const told = events.filter((event) => event.endsWith('told'));
        expect(told).toEqual(Array.from({ length: started }, (_, index) => `${started - 1 - index} told`));
        const badStops = planned.slice(0, started).filter(({ stopFails }) => stopFails).length;
        const reported = broken < 0 ? stopError : startError instanceof Error ? startError.cause : undefined;
        expect(reported instanceof AggregateError ? reported.errors.length : 0).toBe(badStops);
      }),
      { numRuns: 60 },
    );
  });
});
