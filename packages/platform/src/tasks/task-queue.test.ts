import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type QueueEntry, TaskQueue } from './task-queue.ts';

const entry = (id: string, locks: readonly string[] = [], lane: QueueEntry['lane'] = 'normal'): QueueEntry => ({
  id,
  locks,
  lane,
});

describe('the queue of tasks', () => {
  it('runs the tasks of one lock one after the other, and others meanwhile', () => {
    const queue = new TaskQueue(10);
    for (const [id, lock] of [
      ['a', 'usb'],
      ['b', 'usb'],
      ['c', 'plugins'],
    ] as const)
      queue.add(entry(id, [lock]));
    expect(queue.takeReady()).toEqual(['a', 'c']);
    expect(queue.takeReady()).toEqual([]);
    queue.remove('a');
    expect(queue.takeReady()).toEqual(['b']);
  });

  it('does not let a later task overtake one that waits for two locks', () => {
    const queue = new TaskQueue(10);
    queue.add(entry('a', ['usb']));
    queue.add(entry('both', ['plugins', 'usb']));
    queue.add(entry('b', ['plugins']));
    expect(queue.takeReady()).toEqual(['a']);
    queue.remove('a');
    expect(queue.takeReady()).toEqual(['both']);
    queue.remove('both');
    expect(queue.takeReady()).toEqual(['b']);
  });

  it('runs stops at once, however many others run', () => {
    const queue = new TaskQueue(2);
    for (const id of ['a', 'b', 'c']) queue.add(entry(id));
    expect(queue.takeReady()).toEqual(['a', 'b']);
    queue.add(entry('stop 1', [], 'stop'));
    queue.add(entry('stop 2', [], 'stop'));
    expect(queue.takeReady()).toEqual(['stop 1', 'stop 2']);
    queue.remove('a');
    expect(queue.takeReady()).toEqual(['c']);
  });

  it('grants a lock to one of several callers, and refuses the others at once', () => {
    const queue = new TaskQueue(10);
    expect(queue.reserve(entry('a', ['power']))).toBeUndefined();
    expect(queue.reserve(entry('b', ['power']))).toBe('power');
    expect(queue.tryHold('power')).toBeUndefined();
    expect(queue.takeReady()).toEqual([]);
    queue.add(entry('a', ['power']));
    expect(queue.takeReady()).toEqual(['a']);
    expect(queue.isBusy('power')).toBe(true);
    queue.remove('a');
    const release = queue.tryHold('power');
    expect(queue.isBusy('power')).toBe(true);
    queue.add(entry('c', ['power']));
    expect(queue.takeReady()).toEqual([]);
    release?.();
    expect(queue.takeReady()).toEqual(['c']);
  });

  it('keeps every promise in any sequence of events', () => {
    const locks = fc.uniqueArray(fc.constantFrom('usb', 'plugins', 'export'), { maxLength: 3 });
    const event = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), locks, isStop: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reserve' as const), locks }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('begin' as const), which: fc.nat() }) },
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (events, places) => {
        const queue = new TaskQueue(places);
        /** The model: everything in the order it came, with what it is doing. */
        const model: { entry: QueueEntry; state: 'reserved' | 'waiting' | 'running' }[] = [];
        const pick = <Item>(items: readonly Item[], which: number) => items[which % Math.max(items.length, 1)];
        events.forEach((event, index) => {
          const id = `${index}`;
          if (event.do === 'add') {
            const added = event.isStop ? entry(id, [], 'stop') : entry(id, event.locks);
            queue.add(added);
            model.push({ entry: added, state: 'waiting' });
          } else if (event.do === 'reserve') {
            const wanted = entry(id, event.locks);
            const isFree = event.locks.every((lock) => !model.some((known) => known.entry.locks.includes(lock)));
            expect(queue.reserve(wanted) === undefined).toBe(isFree);
            if (isFree) model.push({ entry: wanted, state: 'reserved' });
          } else if (event.do === 'begin') {
            const begun = pick(
              model.filter(({ state }) => state === 'reserved'),
              event.which,
            );
            if (begun !== undefined) {
              queue.add(begun.entry);
              begun.state = 'waiting';
            }
          } else {
            const ended = pick(model, event.which);
            if (ended !== undefined) {
              queue.remove(ended.entry.id);
              model.splice(model.indexOf(ended), 1);
            }
          }
          for (const ready of queue.takeReady()) {
            const started = model.find((known) => known.entry.id === ready);
            expect(started?.state).toBe('waiting');
            if (started !== undefined) started.state = 'running';
          }
          const running = model.filter(({ state }) => state === 'running');
          const inPlaces = running.filter((known) => known.entry.lane === 'normal').length;
          expect(inPlaces).toBeLessThanOrEqual(places);
          for (const [position, known] of model.entries()) {
            const before = model.slice(0, position);
            const isBlocked = before.some((other) =>
              other.entry.locks.some((lock) => known.entry.locks.includes(lock)),
            );
            // One at a time, in order, for every lock …
            if (known.state === 'running') expect(isBlocked).toBe(false);
            // … and nobody waits without a reason.
            const mustRun = known.entry.lane === 'stop' || (!isBlocked && inPlaces < places);
            if (known.state === 'waiting') expect(mustRun).toBe(false);
          }
        });
      }),
    );
  });
});
