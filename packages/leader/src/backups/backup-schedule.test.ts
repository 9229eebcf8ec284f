import { memoryLog, VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { BackupSchedule, checkIntervalMs } from './backup-schedule.ts';

const hourMs = 3_600_000;

async function schedule(newest: { atMs: number | undefined }, intervalMs = 24 * hourMs, fails = false) {
  const clock = new VirtualClock();
  const log = memoryLog();
  const made: number[] = [];
  const startMs = clock.now();
  const part = new BackupSchedule({
    newestAtMs: async () => {
      if (fails) throw new Error('not mounted');
      return newest.atMs === undefined ? undefined : startMs + newest.atMs;
    },
    intervalMs: () => intervalMs,
    submit: async () => {
      newest.atMs = clock.now() - startMs;
      made.push(newest.atMs);
    },
    clock,
    wire: clock,
    log,
  });
  await part.start();
  return { clock, made, log, part };
}

describe('the schedule of backups', () => {
  it('makes the first one soon, and then one in each interval', async () => {
    const { clock, made, part } = await schedule({ atMs: undefined });
    await clock.advance(72 * hourMs);
    expect(made).toEqual([0, 24, 48].map((hours) => checkIntervalMs + hours * hourMs));
    await part.stop();
    await clock.advance(72 * hourMs);
    expect(made).toHaveLength(3);
  });

  it('makes up for one that was missed, and waits for the age of the newest', async () => {
    const { clock, made } = await schedule({ atMs: -23 * hourMs });
    await clock.advance(hourMs - 1);
    expect(made).toEqual([]);
    await clock.advance(2);
    expect(made).toEqual([hourMs]);
  });

  it('makes none when the interval is 0', async () => {
    const { clock, made } = await schedule({ atMs: undefined }, 0);
    await clock.advance(72 * hourMs);
    expect(made).toEqual([]);
  });

  it('ignores a newest one with a future time', async () => {
    const { clock, made } = await schedule({ atMs: 1_000 * hourMs });
    await clock.advance(hourMs);
    expect(made).toHaveLength(1);
  });

  it('logs four times a day that it cannot read the backups', async () => {
    const { clock, made, log } = await schedule({ atMs: undefined }, 24 * hourMs, true);
    await clock.advance(24 * hourMs);
    expect(made).toEqual([]);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(4);
  });
});
