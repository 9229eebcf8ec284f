import type { LiveEventName } from '@lcs/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiveBacklog } from './live-backlog.ts';
import type { LiveEvent } from './live-event.ts';

const event = (sequence: number, name: LiveEventName, key: string, padding = ''): LiveEvent => ({
  sequence,
  name,
  topic: `${name}/${key}`,
  text: `${sequence}${padding}`,
});

const takeAll = (backlog: LiveBacklog): string[] => {
  const texts: string[] = [];
  for (let text = backlog.take(); text !== undefined; text = backlog.take()) texts.push(text);
  return texts;
};

describe('LiveBacklog', () => {
  it('keeps only the newest event of a topic, in the order of the ids', () => {
    const backlog = new LiveBacklog({ logEntries: 10, characters: 1000, burst: 0 });
    backlog.add(event(1, 'worker', 'rx01'));
    backlog.add(event(2, 'worker', 'rx02'));
    backlog.add(event(3, 'log', 'a'));
    backlog.add(event(4, 'worker', 'rx01'));
    backlog.add(event(5, 'assignment', 'rx01'));
    expect(takeAll(backlog)).toEqual(['2', '3', '4', '5']);
  });

  it('keeps every event of a burst, and only the newest of each topic beyond it', () => {
    const backlog = new LiveBacklog({ logEntries: 10, characters: 1000, burst: 4 });
    for (const sequence of [1, 2, 3, 4]) backlog.add(event(sequence, 'worker', 'rx01'));
    for (const sequence of [5, 6, 7]) backlog.add(event(sequence, 'worker', 'rx01'));
    backlog.add(event(8, 'worker', 'rx02'));
    expect(takeAll(backlog)).toEqual(['1', '2', '3', '7', '8']);
    for (const sequence of [9, 10]) backlog.add(event(sequence, 'worker', 'rx01'));
    expect(takeAll(backlog)).toEqual(['9', '10']);
  });

  it('keeps only the newest of large events, so that a burst does not end a reader', () => {
    const backlog = new LiveBacklog({ logEntries: 2, characters: 40, burst: 100 });
    for (const sequence of [1, 2, 3, 4, 5, 6, 7, 8, 9]) backlog.add(event(sequence, 'worker', 'rx01', 'xxxx'));
    expect(backlog.overrun).toBe(false);
    expect(takeAll(backlog)).toEqual(['1xxxx', '9xxxx']);
  });

  it('drops the oldest log entries first and reports their number', () => {
    const backlog = new LiveBacklog({ logEntries: 2, characters: 1000, burst: 0 });
    for (const sequence of [1, 2, 3, 4, 5]) backlog.add(event(sequence, 'log', 'same task'));
    expect(takeAll(backlog)).toEqual([': 3 log entries dropped: this connection was behind\n\n', '4', '5']);
  });

  it('ends, and keeps nothing, when more waits than the limit', () => {
    const backlog = new LiveBacklog({ logEntries: 2, characters: 10, burst: 10 });
    backlog.add(event(1, 'worker', 'rx01', 'xxxxx'));
    backlog.add(event(2, 'worker', 'rx01', 'xxxxx'));
    expect(backlog.overrun).toBe(false);
    backlog.add(event(3, 'worker', 'rx02', 'xxxxx'));
    expect(backlog.overrun).toBe(true);
    expect(backlog.size).toBe(0);
    backlog.add(event(4, 'worker', 'rx03'));
    expect(backlog.size).toBe(0);
  });

  it('delivers in order, ends with the newest of each topic, and accounts for every log entry', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('change' as const), key: fc.constantFrom('a', 'b', 'c') }),
        fc.record({ kind: fc.constant('log' as const), key: fc.constantFrom('x', 'y') }),
        fc.record({ kind: fc.constant('take' as const), key: fc.constant('') }),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, fc.constantFrom(0, 2, 100), (sequence, burst) => {
        const backlog = new LiveBacklog({ logEntries: 3, characters: 10_000, burst });
        const sent: string[] = [];
        const newest = new Map<string, number>();
        const logged = new Set<number>();
        sequence.forEach(({ kind, key }, index) => {
          const text = kind === 'take' ? backlog.take() : undefined;
          if (text !== undefined) sent.push(text);
          if (kind === 'change') newest.set(key, index);
          if (kind === 'log') logged.add(index);
          if (kind !== 'take') backlog.add(event(index, kind === 'log' ? 'log' : 'worker', key));
          expect(backlog.size).toBeLessThanOrEqual(burst + 3 + 3);
        });
        sent.push(...takeAll(backlog));

        const ids = sent.filter((text) => !text.startsWith(':')).map(Number);
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
        for (const id of newest.values()) expect(ids).toContain(id);
        const told = sent.map((text) => Number(/^: (\d+) log/.exec(text)?.[1] ?? 0)).reduce((a, b) => a + b, 0);
        expect(told + ids.filter((id) => logged.has(id)).length).toBe(logged.size);
      }),
    );
  });
});
