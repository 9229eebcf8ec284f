import { type Handlers, hourMs, type MediaRates, type mediaRoutes } from '@lcs/contract';
import { sql } from 'kysely';
import type { LeaderContext } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';

const windowHours = 3;

interface Given {
  readonly unit: string;
  readonly event: string;
  readonly ml: number;
}

/** Rates of each unit and of all, mL per hour, over the whole window. */
function ratesOf(given: readonly Given[]): MediaRates {
  const all = { altMediaRate: 0, mediaRate: 0 };
  // A map: a unit may be called `constructor`.
  const rates = new Map<string, typeof all>();
  for (const { unit, event, ml } of given) {
    const ofUnit = rates.get(unit) ?? { altMediaRate: 0, mediaRate: 0 };
    rates.set(unit, ofUnit);
    const key = event === 'add_media' ? 'mediaRate' : 'altMediaRate';
    ofUnit[key] += ml / windowHours;
    all[key] += ml / windowHours;
  }
  return { ...Object.fromEntries(rates), all };
}

/** The liquids that feed units. */
export function mediaHandlers(
  { clock, database }: Pick<LeaderContext, 'clock' | 'database'>,
  /** Outside of the main thread: an experiment may have very many events. */
  reads: LeaderReader,
): Handlers<typeof mediaRoutes> {
  /** Volumes of automations; manual doses do not count. */
  const given = (experiment: string): Promise<Given[]> =>
    reads
      .selectFrom('events as v')
      .innerJoin('experiments as e', 'e.uid', 'v.experiment_uid')
      .where('e.name', '=', experiment)
      .where('e.deleting_at', 'is', null)
      .where('v.name', '=', 'dosing')
      .where('v.at', '>', clock.now() - windowHours * hourMs)
      .where('v.at', '<=', clock.now())
      // All sources that begin with `dosing_automation:`.
      .where('v.source', '>=', 'dosing_automation:')
      .where('v.source', '<', 'dosing_automation;')
      .where(sql<string>`json_extract(v.data, '$.event')`, 'in', ['add_media', 'add_alt_media'])
      .groupBy(['v.reactor_unit', sql`json_extract(v.data, '$.event')`])
      .orderBy('v.reactor_unit')
      .select([
        'v.reactor_unit as unit',
        sql<string>`json_extract(v.data, '$.event')`.as('event'),
        sql<number>`sum(json_extract(v.data, '$.volume_change_ml'))`.as('ml'),
      ])
      .execute();

  /** The values after this word in tags, each once, those of the newest experiment first. */
  const tagged = async (word: string): Promise<{ key: string }[]> => {
    const rows = await database.read
      .selectFrom('experiment_tags as t')
      .innerJoin('experiments as e', 'e.id', 't.experiment_id')
      .where('e.deleting_at', 'is', null)
      .where(sql<string>`lower(t.tag)`, 'like', `${word}:%`)
      .orderBy('e.created_at', 'desc')
      .orderBy('e.id', 'desc')
      .orderBy('t.position')
      .select('t.tag')
      .execute();
    const keys = rows.map(({ tag }) => tag.slice(word.length + 1).trim()).filter((key) => key !== '');
    return [...new Set(keys)].map((key) => ({ key }));
  };

  return {
    getMediaRates: async ({ params }) => ({ status: 200, body: ratesOf(await given(params.experiment)) }),
    listHistoricalMedia: async () => ({ status: 200, body: await tagged('media') }),
    listHistoricalOrganisms: async () => ({ status: 200, body: await tagged('organism') }),
  };
}
