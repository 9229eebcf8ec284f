import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Alarm } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import type { LeaderContext } from '../../core/leader-context.ts';
import { secretKeyName } from '../../core/opened-secrets.ts';
import { startTestLeader } from '../../testing/test-leader.ts';
import { ChannelSecrets } from './channel-secrets.ts';
import type { StoredChannel } from './channel-store.ts';
import { DeliveryFailed, failureText } from './delivery-failed.ts';
import { Dispatcher, pauseMs } from './dispatcher.ts';
import { digestOf, emailOf, type Notice } from './notice.ts';
import { NoticeQueue } from './notice-queue.ts';
import { signatureOf } from './send-http.ts';

const notice: Notice = { notice: 'test', leader: 'lead', timestamp: '2026-05-02T09:14:03.120Z', alarm: null };
const channel: StoredChannel = {
  channelId: 'c1',
  kind: 'webhook',
  name: 'lab',
  isEnabled: true,
  minSeverity: 'warning',
  remindHours: 0,
  notifiesReturn: true,
  recipients: [],
  url: null,
  secret: null,
  method: null,
  everyMinutes: null,
};

const aboutOne: Alarm = {
  alarm_id: 'id',
  rule: 'unit_offline',
  title: 'Unit\noffline',
  severity: 'critical',
  state: 'unacknowledged',
  is_active: true,
  reactor_unit: 'rx01',
  experiment: 'a',
  detail: null,
  message: 'It is gone.',
  since: '2026-05-02T09:14:03.120Z',
  occurrences: 1,
  returned_at: null,
  acknowledged_at: null,
  acknowledged_by: null,
  comment: null,
  shelved_until: null,
  cleared_at: null,
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

const allowLoopback = ({ dataFolder }: LeaderContext) =>
  writeFile(join(dataFolder, 'leader.ini'), '[webhooks]\nallowed_addresses=127.0.0.1\n');

/** A mail server that keeps what it gets, without the ends of folded lines. */
async function startMailServer() {
  const letters: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData: (stream, _, done) => {
      text(stream).then((letter) => {
        letters.push(letter.replaceAll('=\r\n', '').replaceAll(/\r\n +/g, ' '));
        done();
      }, done);
    },
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', () => listening.resolve());
  await listening.promise;
  const address = server.server.address();
  return {
    letters,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      return closed.promise;
    },
  };
}

const addEmail = ({ database }: Pick<LeaderContext, 'database'>) =>
  database.write((transaction) =>
    transaction
      .insertInto('alarm_channels')
      .values({
        channel_id: 'c2',
        kind: 'email',
        name: 'mail',
        is_enabled: 1,
        min_severity: 'warning',
        url: null,
        secret: null,
        remind_hours: 0,
        tells_return: 1,
        recipients: '["ada@lab.org"]',
        method: null,
        every_minutes: null,
        created_at: 0,
        changed_at: 0,
      })
      .execute(),
  );

const addWebhook = ({ database }: Pick<LeaderContext, 'database'>, url: string, secret: string | null = null) =>
  database.write((transaction) =>
    transaction
      .insertInto('alarm_channels')
      .values({
        channel_id: 'c1',
        kind: 'webhook',
        name: 'lab',
        is_enabled: 1,
        min_severity: 'warning',
        url,
        secret,
        remind_hours: 0,
        tells_return: 1,
        recipients: '[]',
        method: null,
        every_minutes: null,
        created_at: 0,
        changed_at: 0,
      })
      .execute(),
  );

describe('channels', () => {
  it('pause longer after each failure, an hour at most', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 20].map(pauseMs)).toEqual([
      ...[10_000, 30_000, 90_000, 270_000, 810_000, 2_430_000, 3_600_000, 3_600_000],
    ]);
  });

  it('sign the body with its time, according to RFC 2104', () => {
    // From `printf '12.{}' | openssl dgst -sha256 -hmac key`.
    expect(signatureOf('key', 12, '{}')).toBe(
      'sha256=043e30e1e15664dc97494d18e4110984bcbd2c4e6f3e19de9569dc1ea6d9b03e',
    );
  });

  it('report failures without secrets, on one line', () => {
    const error = new TypeError('fetch failed', { cause: new Error('connect\nECONNREFUSED hush') });
    expect(failureText(error, ['hush', null, undefined, ''])).toBe('fetch failed: connect ECONNREFUSED ***');
    expect(failureText(new DeliveryFailed(''))).toBe('It gave no reason.');
  });

  it('write letters whose subject is one line', () => {
    const letter = emailOf({
      ...notice,
      notice: 'raised',
      alarm: aboutOne,
    });
    expect(letter.subject).toBe('[lead] critical: Unit offline (rx01, a)');
    expect(letter.text).toContain('It is gone.\n');
  });

  it('end an attempt after ten seconds, without delaying others', async () => {
    await using leader = await startTestLeader();
    const url = await silentService();
    const { context, wire } = leader;
    await allowLoopback(context);
    const secrets = new ChannelSecrets(context);
    await secrets.start();
    const dispatcher = new Dispatcher(context, secrets);
    await dispatcher.start();
    const attempt = dispatcher.ping({ ...channel, kind: 'ping', url: secrets.seal(url) });
    await wire.advance(10_000);
    expect(await attempt).toEqual({ error: 'It took more than 10 seconds.', tookMs: 10_000 });
    await dispatcher.stop();
  });

  it('lose nothing when the leader ends in the middle of an attempt', async () => {
    await using leader = await startTestLeader();
    const url = await silentService();
    const { context } = leader;
    await allowLoopback(context);
    const secrets = new ChannelSecrets(context);
    await secrets.start();
    const dispatcher = new Dispatcher({ ...context, wire: realClock() }, secrets);
    await dispatcher.start();
    const queue = new NoticeQueue(context, dispatcher.wake);
    await addWebhook(context, secrets.seal(url));
    const called = Promise.withResolvers<void>();
    servers[0]?.once('request', () => called.resolve());
    await context.change((transaction, effects) => queue.addTo(transaction, effects, channel, 'raised', null));
    await called.promise;
    await dispatcher.stop();
    const rows = await context.database.read.selectFrom('alarm_deliveries').select(['state', 'attempts']).execute();
    expect(rows).toEqual([{ state: 'waiting', attempts: 0 }]);
  });

  it('have their addresses and secrets sealed in the database, also those that were written plain', async () => {
    await using leader = await startTestLeader();
    const { context } = leader;
    const { database, dataFolder } = context;
    await addWebhook(context, 'http://a/hush', 'hush');
    const secrets = new ChannelSecrets(context);
    await secrets.start();
    const stored = await database.read.selectFrom('alarm_channels').select(['url', 'secret']).executeTakeFirstOrThrow();
    expect(JSON.stringify(stored)).not.toContain('hush');
    const again = new ChannelSecrets(context);
    await again.start();
    expect([again.unsealOrThrow(String(stored.url)), again.unsealOrThrow(String(stored.secret))]).toEqual([
      'http://a/hush',
      'hush',
    ]);
    expect((await stat(join(dataFolder, secretKeyName))).mode & 0o077).toBe(0);
    const key = await readFile(join(dataFolder, secretKeyName), 'utf8');
    await writeFile(join(dataFolder, secretKeyName), Buffer.alloc(32, 7).toString('base64'));
    const foreign = new ChannelSecrets(context);
    await foreign.start();
    expect(foreign.unseal(String(stored.url))).toBeUndefined();
    expect(() => foreign.unsealOrThrow(String(stored.url))).toThrow(DeliveryFailed);
    expect(key.trim()).toHaveLength(44);
  });

  it('gather letters that come soon after one into a second letter', async () => {
    await using leader = await startTestLeader();
    await using box = await startMailServer();
    const { context, clock } = leader;
    await writeFile(
      join(context.dataFolder, 'leader.ini'),
      `[smtp]\nhost=127.0.0.1\nport=${box.port}\nsecurity=none\nfrom=lcs@lab.org\n`,
    );
    await addEmail(context);
    const dispatcher = new Dispatcher({ ...context, wire: realClock() }, { unsealOrThrow: (sealed) => sealed });
    await dispatcher.start();
    const queue = new NoticeQueue(context, dispatcher.wake);
    const tell = (unit: number, word: 'raised' | 'returned') => {
      const alarm = { ...aboutOne, alarm_id: `a${unit}`, title: 'Unit offline', reactor_unit: `rx${unit}` };
      return context.change((transaction, effects) => queue.add(transaction, effects, word, alarm));
    };
    for (let unit = 1; unit <= 200; unit += 1) await tell(unit, 'raised');
    await expect.poll(() => box.letters.length).toBe(1);
    expect(box.letters[0]).toContain('Subject: [lead] critical: Unit offline (rx1, a)');
    await tell(1, 'returned');
    await clock.advance(9_000);
    expect(box.letters).toHaveLength(1);
    await clock.advance(1_000);
    await expect.poll(() => box.letters.length).toBe(2);
    const digest = box.letters[1] ?? '';
    expect(digest).toContain('Subject: [lead] 200 alarms (raised: 199, over: 1)');
    for (const unit of [2, 200]) expect(digest).toContain(`- critical: Unit offline (rx${unit}, a): It is gone.`);
    const states = () => context.database.read.selectFrom('alarm_deliveries').select('state').distinct().execute();
    await expect.poll(states).toEqual([{ state: 'delivered' }]);
    await clock.advance(60_000);
    await tell(7, 'returned');
    await expect.poll(() => box.letters.length).toBe(3);
    expect(box.letters[2]).toContain('Subject: [lead] over: Unit offline (rx7, a)');
    await dispatcher.stop();
  });

  it('state in a digest of very many alarms how many it omits', () => {
    const many = Array.from({ length: 450 }, (): Notice => ({ ...notice, notice: 'raised', alarm: aboutOne }));
    const letter = digestOf(many);
    expect(letter.subject).toBe('[lead] 450 alarms (raised: 450)');
    expect(letter.text.match(/^- /gm)).toHaveLength(200);
    expect(letter.text).toContain('and 250 more');
  });

  it('deliver the end of an alarm only after its beginning', async () => {
    await using leader = await startTestLeader();
    const { context, clock } = leader;
    await allowLoopback(context);
    const heard: string[] = [];
    const server = createServer((request, response) => {
      heard.push(String(request.headers['x-lcs-delivery']));
      request.resume();
      response.writeHead(heard.length === 1 ? 503 : 204).end();
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const secrets = new ChannelSecrets(context);
    await secrets.start();
    const url = secrets.seal(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
    await addWebhook(context, url);
    const dispatcher = new Dispatcher({ ...context, wire: realClock() }, secrets);
    await dispatcher.start();
    const queue = new NoticeQueue(context, dispatcher.wake);
    for (const word of ['raised', 'returned'] as const)
      await context.change((transaction, effects) => queue.addTo(transaction, effects, channel, word, aboutOne));
    const attempts = () => context.database.read.selectFrom('alarm_deliveries').select(['state', 'attempts']).execute();
    await expect.poll(attempts).toEqual([
      { state: 'waiting', attempts: 1 },
      { state: 'waiting', attempts: 0 },
    ]);
    await clock.advance(10_000);
    await expect.poll(() => heard).toEqual(['1', '1', '2']);
    await dispatcher.stop();
  });
});
