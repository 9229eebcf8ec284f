import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FeedSeries } from '@lcs/contract';
import { loadIdentity } from '@lcs/node';
import { realClock, SqliteDatabase, silentLog } from '@lcs/platform';
import { Outbox, type OutboxTables, outboxMigrations, UnitTime } from '@lcs/unit';
import type { FillOrder } from './fill-outboxes.ts';

const batch = 5_000;

const seriesOf = (experimentUid: string, channel: number): FeedSeries => ({
  experiment_uid: experimentUid,
  source: 'od',
  channel: String(channel + 1),
  angle: 90,
  derivation: null,
  context: null,
});

/** As the unit itself would have done it while its leader was away: an OD reading of each channel every interval. */
async function fill(folder: string, name: string, order: FillOrder): Promise<void> {
  const { experimentUid, channels, intervalMs, readingsPerUnit, endMs } = order;
  const clock = realClock();
  const { boot } = await loadIdentity(folder, { name, clock });
  const storage = join(folder, 'storage');
  await mkdir(storage, { recursive: true });
  const database = new SqliteDatabase<OutboxTables>({
    path: join(storage, 'outbox.sqlite'),
    migrations: outboxMigrations,
    clock,
    log: silentLog(),
  });
  const time = new UnitTime({ clock, boot, hostSynced: () => true });
  const limits = { maxWaiting: 2 * batch, commitAtRecords: batch };
  const outbox = new Outbox({ database, time, clock, wire: clock, log: silentLog(), newId: randomUUID, limits });
  const parts = [database, time, outbox];
  for (const part of parts) await part.start(new AbortController().signal);
  const series = Array.from({ length: channels }, (_, channel) => seriesOf(experimentUid, channel));
  const beats = readingsPerUnit / channels;
  for (let beat = 0, waiting = 0; beat < beats; beat += 1) {
    const at = endMs - (beats - beat) * intervalMs;
    for (const [channel, entry] of series.entries()) {
      const value = 0.5 + 0.4 * Math.sin(at / 7.2e6 + channel) + 0.003 * Math.sin((at / 5_000) * 12.9898 + channel);
      outbox.append({ kind: 'sample', series: entry, value }, { ...time.stamp(), at });
      waiting += 1;
    }
    if (waiting >= batch) {
      await outbox.flush();
      waiting = 0;
    }
  }
  for (const part of parts.reverse()) await part.stop();
}

process.once('message', async (order: FillOrder) => {
  for (const name of order.units) await fill(join(order.folder, name), name, order);
  process.exit();
});
