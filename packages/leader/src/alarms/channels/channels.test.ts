import { once } from 'node:events';
import { createServer } from 'node:http';
import { realClock } from '@lcs/platform';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestLeader } from '../../api/test-leader.ts';
import type { StoredChannel } from './channel-store.ts';
import { DeliveryFailed, failureText } from './delivery-failed.ts';
import { Dispatcher, pauseMs } from './dispatcher.ts';
import { letterOf, type Notice } from './notice.ts';
import { NoticeQueue } from './notice-queue.ts';
import { signatureOf } from './send-http.ts';

const notice: Notice = { notice: 'test', leader: 'lead', timestamp: '2026-05-02T09:14:03.120Z', alarm: null };
const channel: StoredChannel = {
  ...{ channelId: 'c1', kind: 'webhook', name: 'lab', isEnabled: true, minSeverity: 'warning', remindHours: 0 },
  ...{ tellsReturn: true, recipients: [], url: null, secret: null, method: null, everyMinutes: null },
};

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A service that takes calls and never answers. */
async function silentService(): Promise<string> {
  const server = createServer(() => {});
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
}

describe('channels', () => {
  it('pause longer after each failure, an hour at most', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 20].map(pauseMs)).toEqual([
      ...[10_000, 30_000, 90_000, 270_000, 810_000, 2_430_000, 3_600_000, 3_600_000],
    ]);
  });

  it('sign what they send with its time, as RFC 2104 says', () => {
    // From `printf '12.{}' | openssl dgst -sha256 -hmac key`.
    expect(signatureOf('key', 12, '{}')).toBe(
      'sha256=043e30e1e15664dc97494d18e4110984bcbd2c4e6f3e19de9569dc1ea6d9b03e',
    );
  });

  it('tell failures without secrets, on one line', () => {
    const error = new TypeError('fetch failed', { cause: new Error('connect\nECONNREFUSED hush') });
    expect(failureText(error, ['hush', null, undefined, ''])).toBe('fetch failed: connect ECONNREFUSED ***');
    expect(failureText(new DeliveryFailed(''))).toBe('It gave no reason.');
  });

  it('write letters whose subject is one line', () => {
    const { subject, text } = letterOf({
      ...{ ...notice, notice: 'raised' },
      alarm: {
        ...{
          alarm_id: 'id',
          rule: 'unit_offline',
          title: 'Unit\noffline',
          severity: 'critical',
          state: 'unacknowledged',
        },
        ...{ is_active: true, reactor_unit: 'rx01', experiment: 'a', detail: null, message: 'It is gone.' },
        ...{ since: '2026-05-02T09:14:03.120Z', occurrences: 1, returned_at: null, acknowledged_at: null },
        ...{ acknowledged_by: null, comment: null, shelved_until: null, cleared_at: null },
      },
    });
    expect(subject).toBe('[lead] critical: Unit offline (rx01, a)');
    expect(text).toContain('It is gone.\n');
  });

  it('give an attempt up after ten seconds, and hold up nobody meanwhile', async () => {
    await using leader = await startTestLeader();
    const url = await silentService();
    const { context, wire } = leader;
    const dispatcher = new Dispatcher(context);
    await dispatcher.start();
    const attempt = dispatcher.ping({ ...channel, kind: 'ping', url });
    await wire.advance(10_000);
    expect(await attempt).toEqual({ error: 'It took more than 10 seconds.', tookMs: 10_000 });
    await dispatcher.stop();
  });

  it('lose nothing when the leader ends in the middle of an attempt', async () => {
    await using leader = await startTestLeader();
    const url = await silentService();
    const { context } = leader;
    const dispatcher = new Dispatcher({ ...context, wire: realClock() });
    await dispatcher.start();
    const queue = new NoticeQueue(context, dispatcher.wake);
    await context.database.write((transaction) =>
      transaction
        .insertInto('alarm_channels')
        .values({
          ...{ channel_id: 'c1', kind: 'webhook', name: 'lab', is_enabled: 1, min_severity: 'warning', url },
          ...{ remind_hours: 0, tells_return: 1, recipients: '[]', secret: null, method: null, every_minutes: null },
          ...{ created_at: 0, changed_at: 0 },
        })
        .execute(),
    );
    const called = Promise.withResolvers<void>();
    servers[0]?.once('request', () => called.resolve());
    await context.change((transaction, effects) => queue.addTo(transaction, effects, 'c1', 'raised', null));
    await called.promise;
    await dispatcher.stop();
    const rows = await context.database.read.selectFrom('alarm_deliveries').select(['state', 'attempts']).execute();
    expect(rows).toEqual([{ state: 'waiting', attempts: 0 }]);
  });
});
