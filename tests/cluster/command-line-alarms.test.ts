import { runProgram } from '@lcs/cli/testing';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowLoopback } from '../routes/alarm-fixtures.ts';

const lcs = (...args: string[]) => runProgram(args);

describe('lcs alarms', () => {
  let leader: LeaderUnderTest;
  beforeAll(async () => {
    leader = await startLeader();
  });
  afterAll(() => leader[Symbol.asyncDispose]());
  const alarms = (...args: string[]) => lcs('alarms', ...args, '--url', leader.url);

  it('lists, acknowledges and shelves alarms by the beginning of their ids', async () => {
    expect(await alarms()).toEqual({ code: 0, out: 'No alarms. Earlier ones: --all\n', err: '' });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.enrolUnit({
      body: {
        reactor_unit: 'rx01',
        machine_id: crypto.randomUUID(),
        protocol: 1,
        app_version: '1',
        base_url: null,
        port: 1,
        epoch: crypto.randomUUID(),
        boot: 1,
        model: null,
      },
    });
    await leader.clock.advance(10 * 60_000);
    const [alarm] = await leader.client.listAlarms();
    const id = alarm?.alarm_id.slice(0, 8) ?? '';
    expect((await alarms('list')).out).toMatch(
      new RegExp(`^ALARM +SEVERITY.*\n${id} +critical +unacknowledged .*rx01`),
    );
    expect((await alarms('--severity', 'warning', '--json')).out).toBe('[]\n');
    expect(await alarms('shelve', id, '--minutes', '5', '--by', 'Ada')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Shelved until 20.*Z: rx01 is offline/),
    });
    expect(await alarms('unshelve', id)).toMatchObject({ code: 0, out: expect.stringMatching(/^Unshelved/) });
    expect(JSON.parse((await alarms('ack', id, '--by', 'Ada', '--comment', 'cable', '--json')).out)).toMatchObject({
      state: 'acknowledged',
      acknowledged_by: 'Ada',
      comment: 'cable',
    });
    expect(await alarms('ack', 'ffffffff')).toMatchObject({ code: 1, err: expect.stringContaining('lcs alarms') });
    expect(await alarms('shelve', id, '--minutes', '2000')).toMatchObject({ code: 2 });
  });

  it('starts a drill, and fails when a channel does not deliver', async () => {
    expect(await alarms('drill')).toMatchObject({ code: 0, out: expect.stringContaining('No channel') });
    await allowLoopback(leader.dataFolder);
    await leader.client.createAlarmChannel({ body: { kind: 'webhook', name: 'lab', url: 'http://127.0.0.1:1/' } });
    const failed = await alarms('drill', '--by', 'Ada');
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('lab') });
    expect(failed.out).toContain('recorded on disk: yes\nshown live: yes\nwebhook lab: NOT delivered.');
  });
});
