import { liveEvents } from '@lcs/contract';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { raiseUnitOffline } from './alarm-fixtures.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
});
afterEach(() => leader[Symbol.asyncDispose]());

const list = async (query: Record<string, string | number> = {}) =>
  (await leader.api.call('listAlarms', { query })).expect(200);
const act = (operation: 'acknowledgeAlarm' | 'shelveAlarm' | 'unshelveAlarm', alarm_id: string, body: object = {}) =>
  leader.api.call(operation, { params: { alarm_id }, body });
const noId = '00000000-0000-4000-8000-000000000000';

describe('alarms', () => {
  it('are listed newest first, filtered, a page at a time', async () => {
    expect(await list()).toEqual([]);
    const first = await raiseUnitOffline(leader, 'rx01');
    const second = await raiseUnitOffline(leader, 'rx02');
    expect(await list()).toEqual([second, first]);
    expect(await list({ limit: 1, skip: 1 })).toEqual([first]);
    expect(await list({ unit: 'rx02', severity: 'critical', rule: 'unit_offline', state: 'unacknowledged' })).toEqual([
      second,
    ]);
    expect(await list({ severity: 'warning' })).toEqual([]);
    expect(await list({ experiment: 'a' })).toEqual([]);
    expect(await list({ state: 'cleared' })).toEqual([]);
    const found = async (query: Record<string, string>) => Object(await list(query)).length;
    expect([
      await found({ search: 'RX01' }),
      await found({ search: 'unit OFF' }),
      await found({ search: '%' }),
    ]).toEqual([1, 2, 0]);
    const at = new Date(leader.clock.now()).toISOString();
    expect([await found({ until: at }), await found({ since: at })]).toEqual([2, 0]);
    (await leader.api.call('listAlarms', { query: { since: 'today' } })).expect(400, 'invalid_query');
    (await leader.api.call('listAlarms', { query: { state: 'loud' } })).expect(400, 'invalid_query');
  });

  it('are acknowledged once, with author and comment, and have a history', async () => {
    const { alarm_id } = await raiseUnitOffline(leader);
    const seen = { state: 'acknowledged', acknowledged_by: 'Ada', comment: 'power supply' };
    const answer = await act('acknowledgeAlarm', alarm_id, { author: ' Ada ', comment: 'power supply' });
    expect(answer.expect(200)).toMatchObject(seen);
    expect((await act('acknowledgeAlarm', alarm_id, { author: 'Bob' })).expect(200)).toMatchObject(seen);
    const one = (await leader.api.call('getAlarm', { params: { alarm_id } })).expect(200);
    expect(one).toMatchObject({
      ...seen,
      history: [
        { what: 'raised', by: null, message: expect.stringContaining('rx01 is offline') },
        { what: 'acknowledged', by: 'Ada', comment: 'power supply' },
      ],
    });
    (await act('acknowledgeAlarm', noId)).expect(404, 'alarm_not_found');
    (await leader.api.call('getAlarm', { params: { alarm_id: noId } })).expect(404, 'alarm_not_found');
    (await act('acknowledgeAlarm', alarm_id, { author: 1 })).expect(400, 'invalid_body');
  });

  it('end when the unit is no longer expected to answer, and cannot be acknowledged then', async () => {
    const { alarm_id } = await raiseUnitOffline(leader);
    (await act('acknowledgeAlarm', alarm_id)).expect(200);
    await leader.client.removeWorker({ params: { reactor_unit: 'rx01' } });
    await leader.clock.advance(120_000);
    expect(await list()).toEqual([]);
    expect(await list({ state: 'cleared' })).toMatchObject([{ alarm_id, state: 'cleared', is_active: false }]);
    (await act('acknowledgeAlarm', alarm_id)).expect(409, 'alarm_cleared');
    (await act('shelveAlarm', alarm_id, { minutes: 5 })).expect(409, 'alarm_cleared');
  });

  it('are shelved for a time, unshelved, and return when the time is over', async () => {
    const { alarm_id } = await raiseUnitOffline(leader);
    (await act('unshelveAlarm', alarm_id)).expect(409, 'alarm_not_shelved');
    (await act('shelveAlarm', alarm_id, {})).expect(400, 'alarm_shelf_invalid');
    (await act('shelveAlarm', alarm_id, { until: 'tomorrow' })).expect(400, 'alarm_shelf_invalid');
    (await act('shelveAlarm', alarm_id, { minutes: 1441 })).expect(400, 'invalid_body');
    (await act('shelveAlarm', noId, { minutes: 5 })).expect(404, 'alarm_not_found');
    (await act('unshelveAlarm', noId)).expect(404, 'alarm_not_found');
    const until = new Date(leader.clock.now() + 3_600_000).toISOString();
    expect((await act('shelveAlarm', alarm_id, { until, author: 'Ada' })).expect(200)).toMatchObject({
      state: 'shelved',
      is_active: true,
      shelved_until: until,
    });
    expect(await list({ state: 'shelved' })).toMatchObject([{ alarm_id }]);
    expect((await act('unshelveAlarm', alarm_id)).expect(200)).toMatchObject({
      state: 'unacknowledged',
      shelved_until: null,
    });
    (await act('shelveAlarm', alarm_id, { minutes: 5 })).expect(200);
    await leader.clock.advance(6 * 60_000);
    expect(await list()).toMatchObject([{ alarm_id, state: 'unacknowledged' }]);
  });

  it('are in the live stream, in its snapshot, and in the event log', async () => {
    const events = await fetch(`${leader.url}/api/live`);
    const { alarm_id } = await raiseUnitOffline(leader);
    let stream = '';
    for await (const chunk of (events.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
      stream += chunk;
      if (stream.includes(alarm_id) && stream.endsWith('\n\n')) break;
    }
    const [, data] = /event: alarm\ndata: (.*)\n/.exec(stream) ?? [];
    const event: unknown = JSON.parse(data ?? 'null');
    expect(Value.Check(liveEvents.alarm, event)).toBe(true);
    expect(event).toMatchObject({ alarm_id, rule: 'unit_offline', state: 'unacknowledged' });
    expect(await leader.client.listLogs({ query: { min_level: 'CRITICAL' } })).toMatchObject([
      { task: 'alarm', level: 'CRITICAL', reactor_unit: 'rx01' },
    ]);
    const again = await fetch(`${leader.url}/api/live`);
    let begun = '';
    for await (const chunk of (again.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
      begun += chunk;
      if (begun.includes('event: snapshot') && begun.endsWith('\n\n')) break;
    }
    const [, snapshot] = /event: snapshot\ndata: (.*)\n/.exec(begun) ?? [];
    expect(JSON.parse(snapshot ?? 'null')).toMatchObject({ alarms: [event] });
  });

  it('survive a restart of the leader, and are not raised again', async () => {
    await using folder = await temporaryFolder('alarms');
    const before = await startLeader({ observe, dataFolder: folder.path });
    const { alarm_id } = await raiseUnitOffline(before, 'rx01');
    await before.client.acknowledgeAlarm({ params: { alarm_id }, body: { author: 'Ada' } });
    await before[Symbol.asyncDispose]();
    await using after = await startLeader({ observe, dataFolder: folder.path, clock: before.clock });
    await after.clock.advance(20 * 60_000);
    expect(await after.client.listAlarms()).toMatchObject([{ alarm_id, state: 'acknowledged', occurrences: 1 }]);
  });
});

describe('rules', () => {
  const rule = 'temperature_out_of_range';
  const change = (body: object, name = rule, headers = {}) =>
    leader.api.call('updateAlarmRule', { params: { rule: name }, body, headers });
  const reset = (body: object = {}, name = rule) => leader.api.call('resetAlarmRule', { params: { rule: name }, body });
  const value = (of: unknown, name: string): unknown => {
    const found: unknown = Reflect.get(Object(of), 'parameters');
    return Array.isArray(found) ? found.find((each) => each.name === name)?.value : undefined;
  };

  it('are listed with parameters, ranges and default values', async () => {
    const rules = (await leader.api.call('listAlarmRules')).expect(200);
    expect(rules).toContainEqual(expect.objectContaining({ rule, scope: 'experiment', is_default: true, version: 0 }));
  });

  it('are changed for all, for one unit and for one experiment, and reset', async () => {
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    const all = (await change({ parameters: { high: 40 }, severity: 'error', author: 'Ada' })).expect(200);
    expect(all).toMatchObject({ severity: 'error', is_default: false, version: 1, overrides: [] });
    expect(value(all, 'high')).toBe(40);
    expect((await change({ reactor_unit: 'rx01', parameters: { high: null } })).expect(200)).toMatchObject({
      overrides: [{ reactor_unit: 'rx01', experiment: null, severity: null, parameters: { high: null } }],
    });
    expect((await change({ pioreactor_unit: 'rx01', is_enabled: false })).expect(200)).toMatchObject({
      overrides: [{ reactor_unit: 'rx01', is_enabled: false, parameters: { high: null } }],
    });
    expect((await change({ experiment: 'a', severity: 'warning' })).expect(200)).toMatchObject({
      overrides: [{ reactor_unit: 'rx01' }, { experiment: 'a', severity: 'warning' }],
    });
    expect((await reset({ reactor_unit: 'rx01' })).expect(200)).toMatchObject({ overrides: [{ experiment: 'a' }] });
    expect((await reset()).expect(200)).toMatchObject({
      is_default: true,
      version: 6,
      overrides: [],
      severity: 'critical',
    });
  });

  it('know a worker from the answer to its registration on', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `rx${10 + index}`);
    const register = async (unit: string) => {
      await leader.client.registerWorker({ body: { reactor_unit: unit } });
      return change({ reactor_unit: unit, is_enabled: false });
    };
    for (const answer of await Promise.all(names.map(register))) answer.expect(200);
  });

  it('are refused with invalid values, with the parameter at fault', async () => {
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    const answer = await change({ parameters: { low: 60 } });
    expect(answer.expect(400, 'alarm_rule_invalid')).toMatchObject({
      field: 'low',
      cause: 'The lower limit must be below the upper one.',
      diagnostics: [{ parameter: 'low', message: 'The lower limit must be below the upper one.' }],
    });
    (await change({ parameters: { high: 'hot' } })).expect(400, 'alarm_rule_invalid');
    (await change({ reactor_unit: 'rx01', is_enabled: true }, 'disk_low')).expect(400, 'alarm_rule_invalid');
    (await change({ experiment: 'a', is_enabled: true }, 'unit_offline')).expect(400, 'alarm_rule_invalid');
    (await change({ experiment: 'a', reactor_unit: 'rx01', is_enabled: true })).expect(400, 'alarm_rule_invalid');
    (await change({})).expect(400, 'nothing_to_change');
    (await change({ is_enabled: true, reactor_unit: 'nobody' })).expect(400, 'unit_unknown');
    (await change({ is_enabled: true, experiment: 'nothing' })).expect(404, 'experiment_not_found');
    (await change({ is_enabled: true }, 'mood')).expect(404, 'alarm_rule_not_found');
    (await change({ is_enabled: 'no' })).expect(400, 'invalid_body');
    (await reset({}, 'mood')).expect(404, 'alarm_rule_not_found');
    (await reset({ experiment: 'nothing' })).expect(404, 'experiment_not_found');
    (await reset({ reactor_unit: 'nobody' })).expect(400, 'unit_unknown');
    (await reset({ experiment: 'a', reactor_unit: 'rx01' })).expect(400, 'alarm_rule_invalid');
  });

  it('are not changed if they have another version than the one that was read', async () => {
    (await change({ is_enabled: false, based_on: 0 })).expect(200);
    (await change({ is_enabled: true, based_on: 0 })).expect(409, 'alarm_rule_changed');
    (await change({ is_enabled: true }, rule, { 'if-match': '"0"' })).expect(409, 'alarm_rule_changed');
    (await reset({ based_on: 0 })).expect(409, 'alarm_rule_changed');
    const answer = await change({ is_enabled: true }, rule, { 'if-match': '"1"' });
    answer.expect(200);
    expect(answer.headers.get('etag')).toBe('"2"');
  });

  it('for an experiment are deleted with it', async () => {
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    (await change({ experiment: 'a', severity: 'warning' })).expect(200);
    await leader.finished(await leader.client.deleteExperiment({ params: { experiment: 'a' } }));
    (await change({ is_enabled: true })).expect(200);
    const rules = await leader.client.listAlarmRules();
    expect(rules.find((each) => each.rule === rule)?.overrides).toEqual([]);
  });
});
