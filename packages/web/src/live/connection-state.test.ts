import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ConnectionEvent,
  type ConnectionState,
  dataAgeMs,
  lastKnownAt,
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

  it('has no age before the first answer', () => {
    expect(dataAgeMs(connecting, 1000)).toBeNull();
    expect(dataAgeMs(after('broke'), 2000)).toBeNull();
  });

  it('is only the last known within 5 s of the last response, whatever has become of the stream', () => {
    const live = after('opened');
    expect(lastKnownAt(live, 4_900)).toBeNull();
    expect(lastKnownAt(live, 5_000)).toBe(1000);
    const broken = after('opened', 'broke');
    expect(lastKnownAt(broken, 4_900)).toBeNull();
    expect(lastKnownAt(broken, 5_000)).toBe(1000);
    // Answers to questions do not mend the stream, which alone tells which jobs run.
    expect(lastKnownAt(after('opened', 'broke', 'answered', 'answered', 'answered'), 5_100)).toBe(5000);
    // A page that was out of sight for long has nothing of now to show.
    const woken = nextConnectionState({ phase: 'resting', since: 0, heardAt: 0 }, 'broke', 600_000);
    expect(lastKnownAt(woken, 600_001)).toBe(0);
    expect(lastKnownAt(connecting, 60_000)).toBeNull();
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
