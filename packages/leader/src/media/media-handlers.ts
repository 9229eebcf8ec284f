import {
  type Handlers,
  hourMs,
  type LiveJob,
  type MediaRates,
  type MediaTotals,
  mediaRateHours,
  type mediaRoutes,
  noMediaTotals,
  ownValue,
} from '@lcs/contract';
import { bottleKeys, bottleSettings, dosingAutomationJob, type Pump, settingOrDefault } from '@lcs/domain';
import type { IniView } from '@lcs/platform';
import { sql } from 'kysely';
import type { LeaderContext } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import { type DosedMinute, dosingRate } from './dosing-rate.ts';

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
    ofUnit[key] += ml / mediaRateHours;
    all[key] += ml / mediaRateHours;
  }
  return { ...Object.fromEntries(rates), all };
}

interface Level {
  readonly unit: string;
  readonly source: string;
  readonly ml: number;
}

const usedKeys = { add_media: 'media_ml', add_alt_media: 'alt_media_ml', remove_waste: 'waste_ml' } as const;
const leftKeys = {
  media_bottle_left_ml: 'media_left_ml',
  alt_media_bottle_left_ml: 'alt_media_left_ml',
  waste_bottle_left_ml: 'waste_left_ml',
} as const satisfies Record<(typeof bottleKeys)[number], keyof MediaTotals>;

const pumps = ['media', 'alt_media', 'waste'] as const satisfies readonly Pump[];

/** What is known of the bottles of a unit that is in the experiment, and of the dosing automation that it runs. */
interface UnitNow {
  readonly unit: string;
  /** Only of bottles that have a size in its configuration. */
  readonly bottlesMl: Readonly<Partial<Record<Pump, number>>>;
  /** Absent: none runs. */
  readonly dosing?: NonNullable<MediaRates[string]['dosing']>;
}

/** The sizes of bottles in a configuration, mL; 0 is none. */
function bottlesOf(config: IniView): UnitNow['bottlesMl'] {
  const sizes = pumps.map((pump) => [pump, settingOrDefault(config, bottleSettings[pump])] as const);
  return Object.fromEntries(sizes.filter(([, sizeMl]) => sizeMl > 0));
}

/** The rates with what each unit has used and has left. The last level of a bottle without a size is not its level now. */
function withTotals(
  { all, ...rates }: MediaRates,
  {
    used,
    levels,
    now,
  }: { readonly used: readonly Given[]; readonly levels: readonly Level[]; readonly now: readonly UnitNow[] },
): MediaRates {
  const totals = new Map<string, MediaTotals>();
  const change = (unit: string, values: Partial<MediaTotals>): void => {
    totals.set(unit, { ...(totals.get(unit) ?? noMediaTotals), ...values });
  };
  for (const { unit, event, ml } of used) {
    const key = ownValue(usedKeys, event);
    if (key !== undefined) change(unit, { [key]: ml });
  }
  for (const { unit, source, ml } of levels) {
    const key = ownValue(leftKeys, source);
    if (key !== undefined) change(unit, { [key]: ml });
  }
  const dosing = new Map<string, UnitNow['dosing']>();
  for (const { unit, bottlesMl, dosing: ofUnit } of now) {
    if (totals.has(unit) || ofUnit !== undefined || Object.keys(bottlesMl).length > 0)
      for (const pump of pumps) {
        const sizeMl = bottlesMl[pump] ?? null;
        // As on the unit: a bottle of which no level was published yet is full, or that of waste empty.
        const leftMl = sizeMl === null ? null : (totals.get(unit)?.[`${pump}_left_ml`] ?? sizeMl);
        change(unit, { [`${pump}_bottle_ml`]: sizeMl, [`${pump}_left_ml`]: leftMl });
      }
    if (ofUnit !== undefined) dosing.set(unit, ofUnit);
  }
  const ofUnits = new Map(Object.entries(rates));
  const still = { altMediaRate: 0, mediaRate: 0 };
  return {
    ...Object.fromEntries(
      [...totals].map(([unit, ofUnit]) => {
        const present = dosing.get(unit);
        return [unit, { ...(ofUnits.get(unit) ?? still), totals: ofUnit, ...(present && { dosing: present }) }];
      }),
    ),
    ...(all && { all }),
  };
}

const eventOfDose = sql<string>`json_extract(v.data, '$.event')`;

/** The waste pump moves air, too: what left the vial is the difference of its volumes. Older records do not have them. */
const movedMl = sql<number>`sum(case when ${eventOfDose} = 'remove_waste'
  then coalesce(cast(json_extract(v.data, '$.volume_before_ml') as real) - cast(json_extract(v.data, '$.volume_after_ml') as real), cast(json_extract(v.data, '$.volume_change_ml') as real))
  else cast(json_extract(v.data, '$.volume_change_ml') as real) end)`;

export interface MediaOptions {
  /** Outside of the main thread: an experiment may have very many events. */
  readonly reads: LeaderReader;
  readonly jobs: () => readonly LiveJob[];
  /** The effective configuration of a unit by the files on the leader. */
  readonly configOf: (unit: string) => Promise<IniView>;
}

/** The liquids that feed units. */
export function mediaHandlers(
  { clock, database }: Pick<LeaderContext, 'clock' | 'database'>,
  { reads, jobs, configOf }: MediaOptions,
): Handlers<typeof mediaRoutes> {
  /** The doses of an experiment by unit and kind. */
  const doses = (experiment: string, kinds: readonly string[]) =>
    reads
      .selectFrom('events as v')
      .innerJoin('experiments as e', 'e.uid', 'v.experiment_uid')
      .where('e.name', '=', experiment)
      .where('e.deleting_at', 'is', null)
      .where('v.name', '=', 'dosing')
      .where(eventOfDose, 'in', kinds)
      .groupBy(['v.reactor_unit', eventOfDose])
      .orderBy('v.reactor_unit')
      .select(['v.reactor_unit as unit', eventOfDose.as('event')]);

  /** Volumes of automations; manual doses do not count. */
  const given = (experiment: string): Promise<Given[]> =>
    doses(experiment, ['add_media', 'add_alt_media'])
      .where('v.at', '>', clock.now() - mediaRateHours * hourMs)
      .where('v.at', '<=', clock.now())
      // All sources that begin with `dosing_automation:`.
      .where('v.source', '>=', 'dosing_automation:')
      .where('v.source', '<', 'dosing_automation;')
      .select(sql<number>`sum(cast(json_extract(v.data, '$.volume_change_ml') as real))`.as('ml'))
      .execute();

  /** Medium that the present run of the dosing automation of each unit has dosed, by minute. */
  const dosedByRun = async (
    experiment: string,
    runs: readonly LiveJob[],
  ): Promise<ReadonlyMap<string, readonly DosedMinute[]>> => {
    const [earliestMs] = runs.map(({ since }) => Date.parse(since)).sort((a, b) => a - b);
    if (earliestMs === undefined) return new Map();
    const minute = sql<number>`v.at / 60000`;
    const rows = await doses(experiment, ['add_media'])
      .where('v.at', '>', Math.max(earliestMs, clock.now() - mediaRateHours * hourMs))
      .where('v.at', '<=', clock.now())
      .where('v.source', '>=', 'dosing_automation:')
      .where('v.source', '<', 'dosing_automation;')
      .groupBy(minute)
      .orderBy(minute)
      .select([
        sql<number>`min(v.at)`.as('atMs'),
        sql<number>`sum(cast(json_extract(v.data, '$.volume_change_ml') as real))`.as('ml'),
      ])
      .execute();
    return Map.groupBy(
      rows.filter(({ unit, atMs }) =>
        runs.some(({ reactor_unit, since }) => reactor_unit === unit && atMs >= Date.parse(since)),
      ),
      ({ unit }) => unit,
    );
  };

  /** The units that are in the experiment. */
  const unitsNow = async (experiment: string): Promise<readonly UnitNow[]> => {
    const assigned = await database.read
      .selectFrom('assignments as a')
      .innerJoin('experiments as e', 'e.id', 'a.experiment_id')
      .where('e.name', '=', experiment)
      .where('e.deleting_at', 'is', null)
      .select('a.reactor_unit as unit')
      .execute();
    const runs = jobs().filter(
      (job) => job.job_name === dosingAutomationJob.name && job.experiment === experiment && job.state === 'ready',
    );
    const dosed = await dosedByRun(experiment, runs);
    return Promise.all(
      assigned.map(async ({ unit }) => ({
        unit,
        bottlesMl: bottlesOf(await configOf(unit)),
        ...(runs.some(({ reactor_unit }) => reactor_unit === unit) && {
          dosing: { media_ml_per_hour: dosingRate(dosed.get(unit) ?? [], clock.now()) },
        }),
      })),
    );
  };

  /** All doses of the experiment. */
  const used = (experiment: string): Promise<Given[]> =>
    doses(experiment, Object.keys(usedKeys)).select(movedMl.as('ml')).execute();

  /** The newest level of each bottle: units report one when it changes. */
  const levels = async (experiment: string): Promise<readonly Level[]> => {
    const newest = sql<Level>`
      select s.unit, s.source, x.value as ml
      from experiments e
      cross join series s on s.experiment_uid = e.uid and s.source in (${sql.join(bottleKeys)}) and s.hidden = 0
      cross join samples x on x.series_id = s.id and x.at = (select max(at) from samples where series_id = s.id)
      where e.name = ${experiment} and e.deleting_at is null
      order by s.unit`;
    return (await newest.execute(reads)).rows;
  };

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
    getMediaRates: async ({ params: { experiment }, query }) => {
      const rates = ratesOf(await given(experiment));
      if (query.totals !== true) return { status: 200, body: rates };
      const [all, left, now] = await Promise.all([used(experiment), levels(experiment), unitsNow(experiment)]);
      return { status: 200, body: withTotals(rates, { used: all, levels: left, now }) };
    },
    listHistoricalMedia: async () => ({ status: 200, body: await tagged('media') }),
    listHistoricalOrganisms: async () => ({ status: 200, body: await tagged('organism') }),
  };
}
