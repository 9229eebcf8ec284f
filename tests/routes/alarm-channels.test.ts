import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AlarmDrillResult } from '@lcs/contract';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { allowLoopback, expectedSignature, mailServer, outsideService, raiseUnitOffline } from './alarm-fixtures.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await allowLoopback(leader.dataFolder);
});
afterEach(() => leader[Symbol.asyncDispose]());

const list = async (query: Record<string, string | number> = {}) =>
  (await leader.api.call('listAlarms', { query })).expect(200);
const finished = async (accepted: unknown) => {
  const task = await leader.finished(accepted);
  if (task.status !== 'succeeded') throw new Error(JSON.stringify(task));
  return task.result;
};
const noId = '00000000-0000-4000-8000-000000000000';

describe('channels', () => {
  const create = (body: object) => leader.api.call('createAlarmChannel', { body });
  const update = (channel_id: string, body: object) =>
    leader.api.call('updateAlarmChannel', { params: { channel_id }, body });
  const webhook = (url: string, more: object = {}) =>
    leader.client.createAlarmChannel({ body: { kind: 'webhook', name: 'lab', url, ...more } });

  it('are added, changed and removed; a secret is stored and never returned', async () => {
    const body = { kind: 'webhook', name: 'lab', url: 'http://127.0.0.1:1/x', secret: 'hush-hush' };
    const created = (await create(body)).expect(201);
    expect(created).toMatchObject({ name: 'lab', has_secret: true, min_severity: 'warning', waiting: 0, to: [] });
    const channel_id: string = Reflect.get(Object(created), 'channel_id');
    expect((await update(channel_id, { min_severity: 'critical', is_enabled: false })).expect(200)).toMatchObject({
      min_severity: 'critical',
      is_enabled: false,
      has_secret: true,
      url: body.url,
    });
    const listed = await leader.api.call('listAlarmChannels');
    expect(listed.expect(200)).toMatchObject([{ channel_id }]);
    expect(listed.text).not.toContain('hush');
    const storage = join(leader.dataFolder, 'storage');
    const entries = await readdir(storage, { withFileTypes: true });
    for (const { name: file } of entries.filter((entry) => entry.isFile())) {
      const bytes = await readFile(join(storage, file));
      expect([file, bytes.includes('hush-hush'), bytes.includes(body.url)]).toEqual([file, false, false]);
    }
    const zipped = Buffer.from(await (await fetch(`${leader.url}/unit_api/zipped_dot_reactor`)).arrayBuffer());
    // In PostgreSQL the store is no file of the folder.
    const isWithStore = leader.engine === 'sqlite';
    expect([zipped.includes('secrets.key'), zipped.includes('leader.sqlite')]).toEqual([false, isWithStore]);
    expect((await update(channel_id, { secret: null })).expect(200)).toMatchObject({ has_secret: false });
    (await create({ ...body, kind: 'ping', secret: undefined })).expect(409, 'alarm_channel_name_taken');
    const other = await leader.client.createAlarmChannel({ body: { kind: 'email', name: 'mail', to: ['a@b.org'] } });
    (await update(other.channel_id, { name: 'lab' })).expect(409, 'alarm_channel_name_taken');
    const remove = () => leader.api.call('deleteAlarmChannel', { params: { channel_id } });
    (await remove()).expect(200);
    (await remove()).expect(404, 'alarm_channel_not_found');
  });

  it.each([
    [{ kind: 'webhook', name: 'x' }, 'url'],
    [{ kind: 'webhook', name: 'x', url: 'ftp://a' }, 'url'],
    [{ kind: 'webhook', name: 'x', url: 'http://user:pass@a' }, 'url'],
    [{ kind: 'ping', name: 'x', url: 'no address' }, 'url'],
    [{ kind: 'ping', name: 'x', url: 'http://a', secret: 's' }, 'secret'],
    [{ kind: 'email', name: 'x' }, 'to'],
    [{ kind: 'email', name: 'x', to: ['a@b.org\nBcc: c@d.org'] }, 'to'],
    [{ kind: 'email', name: ' ', to: ['a@b.org'] }, 'name'],
  ])('are refused as %j, with the invalid field', async (body, field) => {
    expect((await create(body)).expect(400, 'alarm_channel_invalid')).toMatchObject({
      field,
      diagnostics: [{ field }],
    });
  });

  it('that do not exist cannot be changed or tested, and an empty change is refused', async () => {
    (await update(noId, { name: 'x' })).expect(404, 'alarm_channel_not_found');
    (await leader.api.call('testAlarmChannel', { params: { channel_id: noId } })).expect(
      404,
      'alarm_channel_not_found',
    );
    const { channel_id } = await webhook('http://127.0.0.1:1/');
    (await update(channel_id, {})).expect(400, 'nothing_to_change');
    (await update(channel_id, { url: 'x' })).expect(400, 'alarm_channel_invalid');
    (await update(channel_id, { remind_hours: -1 })).expect(400, 'invalid_body');
    (await create({ kind: 'pigeon', name: 'x' })).expect(400, 'invalid_body');
  });

  it('receive signed webhooks from their severity on; a restart loses no pending one', async () => {
    await using folder = await temporaryFolder('alarms');
    await using service = await outsideService();
    service.answer(503);
    await allowLoopback(folder.path);
    const before = await startLeader({ observe, dataFolder: folder.path });
    const body = { kind: 'webhook', name: 'lab', url: service.url, secret: 'hush', min_severity: 'critical' } as const;
    await before.client.createAlarmChannel({ body });
    const { alarm_id } = await raiseUnitOffline(before, 'rx01');
    await service.received(1);
    await expect
      .poll(() => before.client.listAlarmDeliveries())
      .toMatchObject([
        { alarm_id, notice: 'raised', state: 'waiting', error: 'The service answered with status 503.' },
      ]);
    await before[Symbol.asyncDispose]();
    service.answer(204);
    const count = service.calls.length;
    await using after = await startLeader({ observe, dataFolder: folder.path, clock: before.clock });
    await after.clock.advance(3_600_000);
    await service.received(count + 1);
    await expect.poll(() => after.client.listAlarmDeliveries()).toMatchObject([{ state: 'delivered', next_at: null }]);
    const call = service.calls.at(-1);
    if (call === undefined) throw new Error('no request was received');
    expect(call.method).toBe('POST');
    expect(call.headers['x-lcs-signature']).toBe(expectedSignature('hush', call));
    expect(JSON.parse(call.body)).toMatchObject({ notice: 'raised', leader: 'lead', alarm: { alarm_id } });
    expect(service.calls.map(({ headers }) => headers['x-lcs-delivery'])).toEqual(service.calls.map(() => '1'));
    expect(await after.client.listAlarmChannels()).toMatchObject([
      { waiting: 0, last_error: expect.stringMatching('503') },
    ]);
    const deliveries = await after.api.call('listAlarmDeliveries', { query: { channel: noId } });
    expect(deliveries.expect(200)).toEqual([]);
    expect([...after.log.lines, ...before.log.lines].some((entry) => JSON.stringify(entry).includes('hush'))).toBe(
      false,
    );
  });

  it('do not reach the nodes of the cluster, unless leader.ini names the address', async () => {
    const url = `${leader.url}/unit_api/jobs/stop/all`;
    const { channel_id } = await webhook(url);
    await rm(join(leader.dataFolder, 'leader.ini'));
    for (const inside of [url, url.replace('127.0.0.1', 'localhost'), 'http://169.254.169.254/'])
      (await update(channel_id, { url: inside })).expect(400, 'alarm_channel_invalid');
    (await create({ kind: 'ping', name: 'inside', url })).expect(400, 'alarm_channel_invalid');
    const test = async () =>
      finished((await leader.api.call('testAlarmChannel', { params: { channel_id } })).expect(202));
    expect(await test()).toMatchObject({ delivered: false, error: expect.stringContaining('allowed_addresses') });
    const { port } = new URL(leader.url);
    await writeFile(
      join(leader.dataFolder, 'leader.ini'),
      `[webhooks]\nallowed_addresses=192.168.1.0/24,127.0.0.1:${port}\n`,
    );
    expect(await test()).toMatchObject({ delivered: true });
  });

  it('receive nothing below their severity, and reminders until a person acknowledges', async () => {
    await using service = await outsideService();
    const { channel_id } = await webhook(service.url, { remind_hours: 2, tells_return: false });
    await leader.client.updateAlarmRule({ params: { rule: 'unit_offline' }, body: { severity: 'warning' } });
    await leader.client.updateAlarmChannel({ params: { channel_id }, body: { min_severity: 'error' } });
    const { alarm_id } = await raiseUnitOffline(leader, 'rx01');
    expect(await leader.client.listAlarmDeliveries()).toEqual([]);
    await leader.client.updateAlarmChannel({ params: { channel_id }, body: { min_severity: 'warning' } });
    await raiseUnitOffline(leader, 'rx02');
    await leader.clock.advance(2.2 * 3_600_000);
    const notices = async () => (await leader.client.listAlarmDeliveries()).map(({ notice }) => notice);
    await expect.poll(notices).toEqual(['reminder', 'raised']);
    for (const alarm of await leader.client.listAlarms()) {
      await leader.client.acknowledgeAlarm({ params: { alarm_id: alarm.alarm_id }, body: {} });
    }
    await leader.clock.advance(10 * 3_600_000);
    expect(await notices()).toEqual(['reminder', 'raised']);
    expect((await leader.client.listAlarms()).map((alarm) => alarm.alarm_id)).toContain(alarm_id);
  });

  it('send e-mails with the settings of leader.ini, whose password no answer contains', async () => {
    await using box = await mailServer('open-sesame');
    const { channel_id } = await leader.client.createAlarmChannel({
      body: { kind: 'email', name: 'mail', to: ['ada@lab.org', 'bob@lab.org'] },
    });
    const test = async () => {
      const answer = await leader.api.call('testAlarmChannel', { params: { channel_id } });
      return finished(answer.expect(202));
    };
    const settings = (password: string) =>
      `[smtp]\nhost=127.0.0.1\nport=${box.port}\nsecurity=none\nusername=lab\npassword=${password}\nfrom=lcs@lab.org\n`;
    expect(await test()).toMatchObject({ delivered: false, error: expect.stringContaining('no host in [smtp]') });
    await writeFile(join(leader.dataFolder, 'leader.ini'), settings('wrong-word'));
    const refused = await test();
    expect(refused).toMatchObject({ delivered: false, error: expect.stringContaining('Wrong password ***') });
    expect(JSON.stringify(refused)).not.toContain('wrong-word');
    await writeFile(join(leader.dataFolder, 'leader.ini'), settings('open-sesame'));
    expect(await test()).toMatchObject({ channel: 'mail', kind: 'email', delivered: true, error: null });
    expect(box.emails).toMatchObject([
      { to: ['ada@lab.org', 'bob@lab.org'], text: expect.stringContaining('Subject: [lead] test of alarms') },
    ]);
    await raiseUnitOffline(leader);
    await expect.poll(() => box.emails.length).toBe(2);
    expect(box.emails[1]?.text).toContain('Subject: [lead] critical: Unit offline (rx01)');
    const words = [...leader.log.lines, ...(await leader.client.listAlarmDeliveries())];
    expect(words.some((word) => /open-sesame|wrong-word/.test(JSON.stringify(word)))).toBe(false);
  });

  it('send pings at their interval while the leader is well', async () => {
    await using service = await outsideService();
    await leader.client.createAlarmChannel({
      body: { kind: 'ping', name: 'watch', url: service.url, method: 'POST', every_minutes: 10 },
    });
    await service.received(1);
    for (let minutes = 0; minutes < 5; minutes += 1) await leader.clock.advance(60_000);
    expect(service.calls).toHaveLength(1);
    await expect
      .poll(async () => {
        await leader.clock.advance(60_000);
        return service.calls.length;
      })
      .toBe(2);
    expect(service.calls[1]).toMatchObject({ method: 'POST', path: '/hook' });
    await expect
      .poll(() => leader.client.listAlarmChannels())
      .toMatchObject([{ last_success_at: expect.any(String), last_error: null }]);
  });
});

describe('a drill', () => {
  it('reports the delivery of each channel, and leaves only its record', async () => {
    await using good = await outsideService();
    await using bad = await outsideService();
    bad.answer(500);
    const add = (name: string, kind: 'webhook' | 'ping', url: string, is_enabled = true) =>
      leader.client.createAlarmChannel({ body: { kind, name, url, is_enabled } });
    await add('good', 'webhook', good.url);
    await add('bad', 'webhook', bad.url);
    await add('off', 'webhook', bad.url, false);
    await add('watch', 'ping', good.url);
    await good.received(1);
    const accepted = (await leader.api.call('drillAlarms', { body: { author: 'Ada' } })).expect(202);
    const result = await finished(accepted);
    expect(Value.Check(AlarmDrillResult, result)).toBe(true);
    expect(result).toMatchObject({
      recorded: true,
      shown_live: true,
      cleared: true,
      channels: [
        { channel: 'bad', delivered: false, error: 'The service answered with status 500.' },
        { channel: 'good', delivered: true, error: null },
        { channel: 'watch', kind: 'ping', delivered: true },
      ],
    });
    expect(await list()).toEqual([]);
    expect(await list({ rule: 'drill', state: 'all' })).toMatchObject([{ state: 'cleared', acknowledged_by: 'Ada' }]);
    expect(
      (await leader.client.listAlarmDeliveries()).map(({ channel, notice, state }) => [channel, notice, state]),
    ).toEqual(
      expect.arrayContaining([
        ['good', 'drill', 'delivered'],
        ['bad', 'drill', 'given_up'],
      ]),
    );
    const logs = await leader.client.listLogs({ query: { search: 'Drill by Ada' } });
    expect(logs.length).toBeGreaterThan(0);
  });
});
