import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ConnectionEvent,
  type ConnectionState,
  dataAgeMs,
  nextConnectionState,
  retryDelayMs,
} from './connection-state.ts';

const connecting: ConnectionState = { phase: 'connecting', since: 0 };

const after = (...events: readonly ConnectionEvent[]): ConnectionState =>
  events.reduce<ConnectionState>(
    (state, event, index) => nextConnectionState(state, event, (index + 1) * 1000),
    connecting,
  );

describe('the state of the connection', () => {
  it('is live once opened, and its data are as old as the last word', () => {
    expect(after('opened', 'heard')).toEqual({ phase: 'live', since: 1000, heardAt: 2000 });
    expect(dataAgeMs(after('opened', 'heard'), 5000)).toBe(3000);
  });

  it('remembers when it broke first, however often the next tries fail', () => {
    expect(after('opened', 'broke', 'broke', 'broke')).toEqual({ phase: 'reconnecting', since: 2000, heardAt: 1000 });
  });

  it('is not mended by a sign of life that comes late', () => {
    expect(after('opened', 'broke', 'heard')).toEqual(after('opened', 'broke'));
  });

  it('counts data that were asked for while the stream is down', () => {
    expect(dataAgeMs(after('opened', 'broke', 'answered'), 4000)).toBe(1000);
  });

  it('has no age before anything was heard', () => {
    expect(dataAgeMs(connecting, 1000)).toBeNull();
    expect(dataAgeMs(after('broke'), 2000)).toBeNull();
  });

  it('never shows a negative age, even when the clock of the device is set back', () => {
    expect(dataAgeMs(after('opened'), 0)).toBe(0);
  });
});

it('waits longer after each failure, up to a limit, and never the same for all pages', () => {
  expect([1, 2, 3, 4, 5, 9].map((failures) => retryDelayMs(failures, 1))).toEqual([
    1000, 2000, 4000, 8000, 15_000, 15_000,
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
      const delay = retryDelayMs(failures, chance);
      expect(delay).toBeGreaterThanOrEqual(500);
      expect(delay).toBeLessThanOrEqual(15_000);
    }),
  );
});
