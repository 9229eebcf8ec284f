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
  it('is live once opened, and its data are as old as the last event', () => {
    expect(after('opened', 'received')).toEqual({ phase: 'live', since: 1000, receivedAt: 2000 });
    expect(dataAgeMs(after('opened', 'received'), 5000)).toBe(3000);
  });

  it('keeps the time of the first break, however often the next tries fail', () => {
    expect(after('opened', 'broke', 'broke', 'broke')).toEqual({
      phase: 'reconnecting',
      since: 2000,
      receivedAt: 1000,
    });
  });

  it('is not restored by a late response to a probe', () => {
    expect(after('opened', 'broke', 'received')).toEqual(after('opened', 'broke'));
  });

  it('counts data that were requested while the stream is down', () => {
    expect(dataAgeMs(after('opened', 'broke', 'answered'), 4000)).toBe(1000);
  });

  it('has no age before the first response', () => {
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
    // Responses do not restore the stream, which alone reports which jobs run.
    expect(lastKnownAt(after('opened', 'broke', 'answered', 'answered', 'answered'), 5_100)).toBe(5000);
    // After a long suspension no data are current.
    const resumed = nextConnectionState({ phase: 'suspended', since: 0, receivedAt: 0 }, 'broke', 600_000);
    expect(lastKnownAt(resumed, 600_001)).toBe(0);
    expect(lastKnownAt(connecting, 60_000)).toBeNull();
  });

  it('never shows a negative age, even when the clock of the device is set back', () => {
    expect(dataAgeMs(after('opened'), 0)).toBe(0);
  });
});

it('waits longer after each failure, up to a limit, and not equally long in all browsers', () => {
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
