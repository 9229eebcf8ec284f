import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'a', tags: ['media: LB broth', 'organism: yeast'] } });
});
afterEach(() => leader[Symbol.asyncDispose]());

type Dose = readonly [unit: string, event: string, ml: number, source: string | null, agoMs?: number];

/** Stores dosing events like records of units. */
function dose(...doses: readonly Dose[]): Promise<void> {
  return leader.editStore((database) => {
    const { uid } = database.prepare("select uid from experiments where name = 'a'").get() ?? {};
    const insert = database.prepare(
      `insert into events (experiment_uid, reactor_unit, at, name, source, data, machine_id, boot, mono)
      values (?, ?, ?, 'dosing', ?, ?, 'm', 1, (select count(*) from events))`,
    );
    for (const [unit, event, ml, source, agoMs = 0] of doses) {
      const data = JSON.stringify({ event, volume_change_ml: ml });
      insert.run(String(uid), unit, leader.clock.now() - agoMs, source, data);
    }
  });
}

const automation = 'dosing_automation:chemostat';
const rates = async (experiment = 'a') =>
  (await leader.api.call('getMediaRates', { params: { experiment } })).expect(200);

describe('media rates', () => {
  it('are the media added by automations in three hours, per hour, by unit and in total', async () => {
    await dose(
      ['rx01', 'add_media', 1, automation],
      ['rx01', 'add_media', 0.5, automation, 3_600_000],
      ['rx01', 'add_alt_media', 0.75, automation],
      ['rx02', 'add_alt_media', 0.75, 'dosing_automation:turbidostat'],
    );
    expect(await rates()).toEqual({
      rx01: { altMediaRate: 0.25, mediaRate: 0.5 },
      rx02: { altMediaRate: 0.25, mediaRate: 0 },
      all: { altMediaRate: 0.5, mediaRate: 0.5 },
    });
  });

  it('are of units with any name', async () => {
    await dose(['constructor', 'add_media', 3, automation], ['toString', 'add_alt_media', 3, automation]);
    expect(await rates()).toEqual({
      constructor: { altMediaRate: 0, mediaRate: 1 },
      toString: { altMediaRate: 1, mediaRate: 0 },
      all: { altMediaRate: 1, mediaRate: 1 },
    });
    expect(Object.keys(Object)).toEqual([]);
    await dose(['__proto__', 'add_media', 3, automation]);
    const all: object = Object(await rates());
    expect(Object.keys(all).sort()).toEqual(['__proto__', 'all', 'constructor', 'toString']);
    expect([Reflect.get(all, 'all'), Reflect.get({}, 'mediaRate')]).toMatchObject([{ mediaRate: 2 }, undefined]);
  });

  it('exclude waste, manual doses, and older doses', async () => {
    await dose(
      ['rx01', 'remove_waste', 1, automation],
      ['rx01', 'add_media', 1, null],
      ['rx01', 'add_media', 1, 'pumps'],
      ['rx01', 'add_media', 1, 'dosing_automation'],
      ['rx01', 'add_media', 1, automation, 3 * 3_600_000],
    );
    expect(await rates()).toEqual({ all: { altMediaRate: 0, mediaRate: 0 } });
    expect(await rates('nobody')).toEqual({ all: { altMediaRate: 0, mediaRate: 0 } });
    const { headers } = await leader.api.call('getMediaRates', { params: { experiment: 'a' } });
    expect(headers.get('cache-control')).toBe('private, max-age=5');
  });
});

describe('media and organisms of the past', () => {
  const list = async (operation: 'listHistoricalMedia' | 'listHistoricalOrganisms') =>
    (await leader.api.call(operation)).expect(200);

  it('are tags, each once, those of the newest experiment first', async () => {
    await leader.clock.advance(1_000);
    await leader.client.createExperiment({ body: { experiment: 'b', tags: ['blue', 'media: M9', 'media: LB broth'] } });
    await leader.clock.advance(1_000);
    await leader.client.createExperiment({ body: { experiment: 'c', tags: ['organism: E. coli', 'mediator: x'] } });
    expect(await list('listHistoricalMedia')).toEqual([{ key: 'M9' }, { key: 'LB broth' }]);
    expect(await list('listHistoricalOrganisms')).toEqual([{ key: 'E. coli' }, { key: 'yeast' }]);
  });

  it('are empty without such tags', async () => {
    await leader.finished(await leader.client.deleteExperiment({ params: { experiment: 'a' } }));
    expect(await list('listHistoricalMedia')).toEqual([]);
    expect(await list('listHistoricalOrganisms')).toEqual([]);
  });
});

describe('an unreadable store', () => {
  it('is an internal error of all three', async () => {
    await leader.breakStore();
    (await leader.api.call('getMediaRates', { params: { experiment: 'a' } })).expect(500, 'internal_error');
    (await leader.api.call('listHistoricalMedia')).expect(500, 'internal_error');
    (await leader.api.call('listHistoricalOrganisms')).expect(500, 'internal_error');
  });
});
