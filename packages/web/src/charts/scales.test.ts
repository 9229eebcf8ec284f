import { describe, expect, it } from 'vitest';
import { momentLabel, timeLabels, timeTicks } from './time-ticks.ts';
import { logRange, logTicks, steadyRange, tickLabels, yRange, yTicks } from './y-scale.ts';

describe('a y axis', () => {
  it('contains all readings; without readings it is the range of the descriptor', () => {
    const [low, high] = yRange(-0.3, 2.5, [0, 1]);
    expect(low).toBeLessThan(-0.3);
    expect(high).toBeGreaterThan(2.5);
    expect(yRange(null, null, [0.98, 1.02])).toEqual([0.98, 1.02]);
  });

  it('does not magnify noise', () => {
    const [low, high] = yRange(36.99, 37.01, [22.5, 37.5]);
    expect(high - low).toBeGreaterThanOrEqual(1.5);
  });

  it('stays where it is while new readings change it by little', () => {
    const shown = [0, 1] as const;
    expect(steadyRange(shown, [0.01, 1.01])).toBe(shown);
    expect(steadyRange(shown, [0, 1.05])).toEqual([0, 1.05]);
  });

  it('begins at zero where readings that cannot be negative are near it', () => {
    expect(yRange(0.02, 1.6, [0.001, 0.05])[0]).toBe(0);
  });

  it('has round ticks inside its range, with as many digits as they need', () => {
    expect(yTicks([-0.02, 0.43], 200)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
    expect(tickLabels([0, 0.25, 0.5])).toEqual(['0.00', '0.25', '0.50']);
    expect(tickLabels([-20, 0, 20])).toEqual(['−20', '0', '20']);
    expect(yTicks([5, 5], 200)).toEqual([5]);
  });
});

describe('a logarithmic axis', () => {
  it('contains all positive readings, and is at least a doubling high', () => {
    const [low, high] = logRange(0.01, 1.2);
    expect(low).toBeLessThan(0.01);
    expect(high).toBeGreaterThan(1.2);
    const [lowest, highest] = logRange(0.5, 0.5);
    expect(highest / lowest).toBeGreaterThanOrEqual(2);
    expect(logRange(null, null)[0]).toBeGreaterThan(0);
  });

  it('has decades, and round values between them if they fit', () => {
    expect(logTicks([0.008, 1.5], 300)).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]);
    expect(logTicks([0.008, 1.5], 140)).toEqual([0.01, 0.03, 0.1, 0.3, 1]);
    expect(logTicks([0.0001, 1000], 140)).toEqual([0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000]);
    expect(logTicks([0.41, 0.47], 200).length).toBeGreaterThanOrEqual(2);
  });
});

describe('a time axis', () => {
  const hour = 3_600_000;
  const origin = Date.UTC(2026, 4, 2, 9, 14);
  const elapsed = { display: 'elapsed', originMs: origin, presentYear: 2026 } as const;
  const clock = (presentYear: number) => ({ display: 'clock', originMs: 0, presentYear }) as const;
  const request = { originMs: origin, offsetMinutesAt: () => 120, most: 6 } as const;

  it('has round times since the beginning of the experiment', () => {
    const ticks = timeTicks({ ...request, display: 'elapsed', fromMs: origin, toMs: origin + 26 * hour });
    expect(timeLabels(ticks, elapsed)).toEqual(['0 h', '6 h', '12 h', '18 h', '24 h']);
    const close = timeTicks({
      ...request,
      display: 'elapsed',
      fromMs: origin + hour,
      toMs: origin + 1.5 * hour,
      most: 3,
    });
    expect(timeLabels(close, elapsed)).toEqual(['60 min', '70 min', '80 min', '90 min']);
  });

  it.each([
    [0, 60, ['0 s', '15 s', '30 s', '45 s', '60 s']],
    [0, 600, ['0 min', '2 min', '4 min', '6 min', '8 min', '10 min']],
    [540, 600, ['9:00 min', '9:15 min', '9:30 min', '9:45 min', '10:00 min']],
    [30 * 3600, 30 * 3600 + 1800, ['30:00 h', '30:10 h', '30:20 h', '30:30 h']],
    [30 * 3600, 30 * 3600 + 60, ['30:00:00 h', '30:00:15 h', '30:00:30 h', '30:00:45 h', '30:01:00 h']],
    [0, 48 * 3600, ['0 h', '12 h', '24 h', '36 h', '48 h']],
  ])('elapsed time of a window from %s s to %s s is in seconds, minutes or hours', (from, to, labels) => {
    const window = { fromMs: origin + 1000 * from, toMs: origin + 1000 * to };
    const ticks = timeTicks({ ...request, display: 'elapsed', ...window, most: 5 });
    expect(timeLabels(ticks, elapsed)).toEqual(labels);
  });

  it('has the elapsed time at the pointer to the second while it is short', () => {
    const at = (seconds: number) => momentLabel(origin + 1000 * seconds, elapsed);
    expect([at(40), at(750), at(5400), at(-40)]).toEqual(['40 s', '12 min 30 s', '1.50 h', '−40 s']);
  });

  /** Central Europe, where clocks change at 01:00 UTC. */
  const change = (day: number, month: number, before: number, after: number) => {
    const atMs = Date.UTC(2026, month, day, 1);
    return { atMs, offsetMinutesAt: (ms: number) => (ms < atMs ? before : after) };
  };

  it.each([
    ['forward', change(29, 2, 60, 120)],
    ['back', change(25, 9, 120, 60)],
  ] as const)('has round times on both sides of a change of the clocks %s', (_, { atMs, offsetMinutesAt }) => {
    const localHours = (span: number, most: number) => {
      const window = { fromMs: atMs - span * hour, toMs: atMs + span * hour };
      const ticks = timeTicks({ originMs: 0, display: 'clock', ...window, most, offsetMinutesAt });
      return ticks.map((tick) => ((tick + offsetMinutesAt(tick) * 60_000) / hour) % 24);
    };
    expect(new Set(localHours(24 * 4, 8))).toEqual(new Set([0]));
    expect(localHours(24 * 4, 8)).toHaveLength(8);
    expect(localHours(24, 8).every((local) => local % 6 === 0)).toBe(true);
    expect(localHours(6, 6).every((local) => local % 2 === 0)).toBe(true);
    // No place where two labels would be on each other.
    const window = { fromMs: atMs - 6 * hour, toMs: atMs + 6 * hour };
    const ticks = timeTicks({ originMs: 0, display: 'clock', ...window, most: 6, offsetMinutesAt });
    for (const [at, tick] of ticks.entries()) expect(tick - (ticks[at - 1] ?? 0)).toBeGreaterThan(1.5 * hour);
  });

  it('has the dates of days around a change of the clocks, whose days are shorter or longer', () => {
    const days = [0, 23, 47, 71].map((hours) => new Date(2026, 2, 29).getTime() + hours * hour);
    expect(timeLabels(days, clock(2026)).every((label) => !label.includes(':'))).toBe(true);
  });

  it('has round hours of local time, whatever the zone', () => {
    const ticks = timeTicks({ ...request, display: 'clock', fromMs: origin, toMs: origin + 24 * hour });
    expect(ticks.map((tick) => new Date(tick + 2 * hour).getUTCHours() % 6)).toEqual(ticks.map(() => 0));
    expect(ticks).toHaveLength(4);
  });

  it('shows the day once, and again when it changes', () => {
    const noon = new Date(2026, 4, 2, 12).getTime();
    const labels = timeLabels([noon, noon + 6 * hour, noon + 12 * hour, noon + 18 * hour], clock(2026));
    expect(labels.map((label) => label.includes('\n'))).toEqual([true, false, true, false]);
    expect(labels.filter((label) => label.includes('2026'))).toEqual([]);
  });

  it('names the year of another year, on the axis and at the pointer', () => {
    const noon = new Date(2026, 11, 30, 12).getTime();
    const hours = timeLabels([noon, noon + 6 * hour, noon + 12 * hour], clock(2027));
    expect(hours.map((label) => label.includes('2026'))).toEqual([true, false, true]);
    const days = timeLabels([noon, noon + 24 * hour, noon + 48 * hour, noon + 72 * hour], clock(2027));
    expect(days.map((label) => /\n\d{4}$/.exec(label)?.[0])).toEqual(['\n2026', undefined, '\n2027', undefined]);
    expect(momentLabel(noon, clock(2027))).toContain('2026');
    expect(momentLabel(noon, clock(2026))).not.toContain('2026');
  });
});
