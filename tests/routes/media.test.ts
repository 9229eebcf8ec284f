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

describe('media used and left', () => {
  const totals = async (experiment = 'a') =>
    (await leader.api.call('getMediaRates', { params: { experiment }, query: { totals: 'true' } })).expect(200);
  const unknown = {
    media_left_ml: null,
    alt_media_left_ml: null,
    waste_left_ml: null,
    media_bottle_ml: null,
    alt_media_bottle_ml: null,
    waste_bottle_ml: null,
  };

  it('are all doses of any age and source, with their corrections', async () => {
    await dose(
      ['rx01', 'add_media', 3, automation],
      ['rx01', 'add_media', -1, automation],
      ['rx01', 'add_media', 2, 'UI', 50 * 3_600_000],
      ['rx01', 'remove_waste', 4, automation],
      ['rx02', 'add_alt_media', 5, 'UI', 50 * 3_600_000],
    );
    expect(await totals()).toEqual({
      rx01: {
        altMediaRate: 0,
        mediaRate: 2 / 3,
        totals: { media_ml: 4, alt_media_ml: 0, waste_ml: 4, ...unknown },
      },
      rx02: {
        altMediaRate: 0,
        mediaRate: 0,
        totals: { media_ml: 0, alt_media_ml: 5, waste_ml: 0, ...unknown },
      },
      all: { altMediaRate: 0, mediaRate: 2 / 3 },
    });
    expect(await totals('nobody')).toEqual({ all: { altMediaRate: 0, mediaRate: 0 } });
  });

  it('count the liquid that left the vial, not the air of the waste pump', async () => {
    await dose(['rx01', 'remove_waste', 4, automation]);
    await leader.editStore((database) =>
      database.exec(
        "update events set data = json_set(data, '$.volume_before_ml', 15, '$.volume_after_ml', 14) where name = 'dosing'",
      ),
    );
    expect(await totals()).toMatchObject({ rx01: { totals: { waste_ml: 1 } } });
  });

  it('have the newest level of each bottle, while the unit in the experiment has a size for it', async () => {
    await leader.editStore((database) => {
      const { uid } = database.prepare("select uid from experiments where name = 'a'").get() ?? {};
      for (const [source, ...levels] of [
        ['media_bottle_left_ml', 250, 240],
        ['waste_bottle_left_ml', 900],
      ] as const) {
        const { id } =
          database
            .prepare("insert into series (experiment_uid, unit, source) values (?, 'rx01', ?) returning id")
            .get(String(uid), source) ?? {};
        levels.forEach((level, at) => {
          database.prepare('insert into samples (series_id, at, value) values (?, ?, ?)').run(Number(id), at, level);
        });
      }
    });
    const levels = { media_left_ml: 240, alt_media_left_ml: null, waste_left_ml: 900 };
    expect(await totals()).toMatchObject({ rx01: { mediaRate: 0, totals: { media_ml: 0, ...levels } } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: 'rx01' } });
    expect(await totals()).toMatchObject({ rx01: { totals: unknown } });
    const code = '[bioreactor]\nmedia_bottle_ml=500\nalt_media_bottle_ml=300\n';
    await leader.client.saveSpecificConfig({ params: { reactor_unit: 'rx01' }, body: { code } });
    const known = { media_left_ml: 240, media_bottle_ml: 500, waste_left_ml: null, waste_bottle_ml: null };
    // A bottle of which no level was published yet is full, as the unit says.
    const full = { alt_media_left_ml: 300, alt_media_bottle_ml: 300 };
    expect(await totals()).toMatchObject({ rx01: { totals: { ...known, ...full } } });
  });

  it('are refused for a query that is not true or false', async () => {
    const call = { params: { experiment: 'a' }, query: { totals: 'often' } };
    (await leader.api.call('getMediaRates', call)).expect(400, 'invalid_query');
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
