import type { Reading } from '@lcs/contract';
import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { Readings } from './readings.ts';

const reading = (y: number, more: Partial<Reading> = {}): Reading => ({
  experiment: 'a',
  reactor_unit: 'u',
  source: 'od',
  channel: '2',
  angle: 90,
  x: '2026-11-21T09:14:03.120Z',
  y,
  backfill: false,
  ...more,
});

async function start() {
  const wire = new VirtualClock();
  const told: unknown[] = [];
  const readings = new Readings({ publish: (_, __, data) => told.push(data) }, wire);
  await readings.start();
  return { wire, told, readings };
}

describe('live readings', () => {
  it('go out at once when they are fresh', async () => {
    const { told, readings } = await start();
    readings.publish(reading(1));
    readings.publish(reading(2));
    expect(told).toEqual([reading(1), reading(2)]);
  });

  it('go out once a second for each series while a unit catches up, the newest of each', async () => {
    const { wire, told, readings } = await start();
    const old = (y: number, source: string) => reading(y, { source, backfill: true });
    for (let y = 0; y < 1_000; y += 1) {
      readings.publish(old(y, 'od'));
      readings.publish(old(-y, 'temperature'));
    }
    expect(told).toEqual([]);
    await wire.advance(1_000);
    expect(told).toEqual([old(999, 'od'), old(-999, 'temperature')]);
    await wire.advance(5_000);
    expect(told).toHaveLength(2);
  });

  it('are not followed by an older one', async () => {
    const { wire, told, readings } = await start();
    readings.publish(reading(1, { backfill: true }));
    readings.publish(reading(2));
    await wire.advance(2_000);
    expect(told).toEqual([reading(2)]);
  });
});
