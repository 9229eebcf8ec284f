import { type StandInLeader, startStandInLeader, startUnit, testExperiment, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';

let leader: StandInLeader;
let unit: UnitUnderTest;
beforeEach(async () => {
  leader = await startStandInLeader();
  unit = await startUnit({ leaderUrl: leader.url, observe });
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

const foreign = '00000000-0000-4000-8000-000000000000';

describe('the capabilities of a unit', () => {
  it('are listed by name, automations one by one', async () => {
    const listed = (await unit.api.call('getCapabilities')).expect(200);
    expect(listed).toContainEqual(
      expect.objectContaining({
        job_name: 'stirring',
        published_settings: expect.objectContaining({
          target_rpm: { datatype: 'float', settable: true, unit: 'RPM' },
          $state: { datatype: 'string', settable: true },
        }),
      }),
    );
  });

  it('has the words that a start takes, and an entry for each action that a first word chooses', async () => {
    const listed = await unit.client.getCapabilities();
    const one = (name: string) => listed.find(({ job_name }) => job_name === name);
    expect(one('pumps')?.arguments).toEqual([{ name: 'pump_script', nargs: -1, required: true, type: 'text' }]);
    expect(one('stirring')?.arguments).toEqual([]);
    const { published_settings, cli_example, available } = one('od_blank delete') ?? {};
    expect({ published_settings, cli_example, available }).toEqual({
      published_settings: {},
      cli_example: 'lcs run od_blank delete',
      available: true,
    });
    expect(one('growth_rate_calculating clear_cache')).toMatchObject({ arguments: [], options: [] });
    const defaultOf = (job: string, option: string) => one(job)?.options.find(({ name }) => name === option)?.default;
    expect(defaultOf('add_media', 'source_of_event')).toBe('CLI');
    expect(defaultOf('od_blank', 'n_samples')).toBe(30);
    const names = listed.map(({ job_name, automation_name = '' }) => `${job_name}\n${automation_name}`);
    expect(names).toEqual([...names].sort());
  });

  it.each(['checkHardware', 'checkHardwareByPatch'] as const)(
    '%s lists the chips that do not answer',
    async (operation) => {
      const body = { model_name: 'reactor_40ml', model_version: '1.5' };
      const well = (await unit.api.call(operation, { body })).expect(202);
      expect(await unit.finished(well)).toMatchObject({ status: 'succeeded', result: { status: 'ok' } });
      (await unit.api.call(operation, { body: { ...body, model_version: '9' } })).expect(400, 'model_unknown');
    },
  );
});

it('enrols at once on request', async () => {
  expect((await unit.api.call('enrolNow')).expect(202)).toEqual({ status: 'accepted' });
});

describe('the feed', () => {
  it('is for the leader of this unit alone', async () => {
    await leader.put(unit.url);
    const { epoch, head_seq } = await leader.read(unit.url, { wait: 1_000 });
    const query = { leader_id: leader.id, epoch };
    (await unit.api.call('readFeed', { query })).expect(200);
    (await unit.api.call('readFeed', { query: { ...query, leader_id: foreign } })).expect(409, 'foreign_leader');
    (await unit.api.call('readFeed', { query: { ...query, epoch: foreign } })).expect(409, 'feed_epoch_changed');
    (await unit.api.call('readFeed', { query: { limit: 0 } })).expect(400, 'invalid_query');
    const ack = { leader_id: leader.id, epoch, seq: head_seq };
    const acked = (await unit.api.call('acknowledgeFeed', { body: ack })).expect(200);
    expect(acked).toEqual({ status: 'success', acked_seq: head_seq });
    (await unit.api.call('acknowledgeFeed', { body: { ...ack, leader_id: foreign } })).expect(409, 'foreign_leader');
    (await unit.api.call('acknowledgeFeed', { body: { ...ack, seq: -1 } })).expect(400, 'invalid_body');
  });
});

describe('the desired document', () => {
  it('is applied in order, and reported', async () => {
    const report = await leader.put(unit.url);
    expect((await unit.api.call('getDesired')).expect(200)).toEqual(report);
    const file = { version: 1, sha256: '', text: '' };
    const body = {
      leader: 'lead',
      leader_id: leader.id,
      version: 2,
      leader_time: Date.now(),
      standing: 'member',
      active: true,
      experiment: testExperiment,
      model: null,
      config: { shared: file, own: file },
      stop: [],
    };
    expect((await unit.api.call('putDesired', { body })).expect(200)).toMatchObject({ version: 2 });
    (await unit.api.call('putDesired', { body: { ...body, version: 1 } })).expect(409, 'desired_stale');
    (await unit.api.call('putDesired', { body: { ...body, leader_id: foreign } })).expect(409, 'foreign_leader');
    (await unit.api.call('putDesired', { body: { ...body, version: 0 } })).expect(400, 'invalid_body');
  });
});

describe('a path that a unit does not serve', () => {
  const answer = async (path: string, url = unit.url) => {
    const response = await fetch(url + path);
    const body: unknown = await response.json();
    return { status: response.status, body };
  };

  it('is refused with the address of the leader, if it has one', async () => {
    await using alone = await startUnit({ name: 'alone' });
    for (const path of ['/api/experiments', '/api', '/mcp/', '/static/index.html']) {
      const { status, body } = await answer(path, alone.url);
      expect({ path, status, body }).toMatchObject({ path, status: 404, body: { code: 'not_the_leader' } });
      expect(JSON.stringify(body)).not.toContain('/api/docs');
      expect(JSON.stringify(body)).not.toContain('http:');
    }
    await leader.enrolled();
    await vi.waitFor(async () => {
      const { body } = await answer('/api/experiments');
      expect(JSON.stringify(body)).toContain(leader.url);
    }, 20_000);
  });

  it('is not a path of the unit either, whose list is in the error', async () => {
    const { status, body } = await answer('/unit_api/nothing');
    expect(status).toBe(404);
    expect(body).toMatchObject({
      code: 'route_not_found',
      remediation: expect.stringContaining('/unit_api/openapi.json'),
    });
    expect((await fetch(`${unit.url}/unit_api/openapi.json`)).status).toBe(200);
  });
});
