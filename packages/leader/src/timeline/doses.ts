import { isObject, sourceWithoutAccount, wordsInPlaceOfAccounts } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import type { LeaderReader } from '../queries/experiments.ts';
import { type DoseRuns, dosesOf, doseText, longestDoseMs, type PumpRun, volumesOf } from './pump-runs.ts';
import {
  type FoundEntry,
  isAfter,
  type TimelineFilter,
  type TimelinePosition,
  withoutFacts,
} from './timeline-source.ts';

interface RunRow {
  readonly id: number;
  readonly at: number;
  readonly reactor_unit: string;
  readonly source: string | null;
  /** JSON. */
  readonly data: string;
  readonly moved_ml: number | null;
  readonly exchange: number | null;
}

const pumpOfOutput = { media_pump: 'media', alt_media_pump: 'alt_media', waste_pump: 'waste' } as const;
type PumpOutput = keyof typeof pumpOfOutput;
export const pumpOutputs: readonly PumpOutput[] = ['media_pump', 'alt_media_pump', 'waste_pump'];
const eventOfOutput: { readonly [Output in PumpOutput]: string } = {
  media_pump: 'add_media',
  alt_media_pump: 'add_alt_media',
  waste_pump: 'remove_waste',
};

interface RunFilter extends Pick<TimelineFilter, 'experimentUid' | 'unit' | 'by'> {
  readonly since: number;
  readonly until: number;
  readonly before: TimelinePosition;
  readonly limit: number;
}

const author = sql`coalesce(json_extract(v.data, '$.started_by'), v.source)`;

/** Callers without an account are recorded by the way on which they came; people read one name for all of them. */
const isBy = (by: string): RawBuilder<unknown> =>
  by === sourceWithoutAccount
    ? sql`lower(${author}) in (${sql.join([...wordsInPlaceOfAccounts])})`
    : sql`${author} = ${by}`;

/** The newest runs of one pump, by its index; the end of a run is an actuation with a level before. */
const runsOfPump = (
  output: PumpOutput,
  { experimentUid, unit, by, since, until, before, limit }: RunFilter,
): RawBuilder<unknown> => sql`
  select * from (
    select v.id, v.at, v.reactor_unit, v.source, v.data, ${output} as output, ${eventOfOutput[output]} as event
    from events v indexed by ${sql.ref(unit === undefined ? 'actuations_by_experiment_output' : 'actuations_by_unit_output')}
    where v.name = 'actuation' and v.experiment_uid = ${experimentUid} and json_extract(v.data, '$.output') = ${output}
      and v.at >= ${since} and v.at < ${until} and (v.at, v.id) < (${before.at}, ${before.id})
      and json_extract(v.data, '$.from') is null
      ${unit === undefined ? sql`` : sql`and v.reactor_unit = ${unit}`}
      ${by === undefined ? sql`` : sql`and ${isBy(by)}`}
    order by v.at desc, v.id desc limit ${limit})`;

/**
 * The newest runs of all pumps, each with the liquid that its pump moved until it ran again: a dose has an event every half second. What the
 * waste pump moves is mostly air.
 */
export const pumpRunQuery = (filter: RunFilter): RawBuilder<RunRow> => sql<RunRow>`
  with page as materialized (
    select * from (${sql.join(
      pumpOutputs.map((output) => runsOfPump(output, filter)),
      sql` union all `,
    )})
    order by at desc, id desc limit ${filter.limit})
  select p.id, p.at, p.reactor_unit, p.source, p.data, (
    select s.id from events s indexed by events_by_experiment
    where s.experiment_uid = ${filter.experimentUid} and s.name = 'automation' and s.reactor_unit = p.reactor_unit
      and s.at <= p.at and s.at > p.at - ${longestDoseMs} and json_extract(s.data, '$.event_name') = 'DosingStarted'
    order by s.at desc limit 1
  ) as exchange, (
    select sum(coalesce(
      abs(cast(json_extract(d.data, '$.volume_after_ml') as real) - cast(json_extract(d.data, '$.volume_before_ml') as real)),
      cast(json_extract(d.data, '$.volume_change_ml') as real)))
    from events d indexed by events_by_experiment
    where d.experiment_uid = ${filter.experimentUid} and d.name = 'dosing' and d.reactor_unit = p.reactor_unit
      and d.at >= p.at and d.at < min(p.at + ${longestDoseMs}, coalesce((
        select min(n.at) from events n indexed by actuations_by_unit_output
        where n.name = 'actuation' and n.reactor_unit = p.reactor_unit and json_extract(n.data, '$.output') = p.output
          and n.at > p.at and json_extract(n.data, '$.from') is null and json_extract(n.data, '$.refused') is null), p.at + ${longestDoseMs}))
      and json_extract(d.data, '$.event') = p.event and json_extract(d.data, '$.correction') is null
  ) as moved_ml
  from page p order by p.at desc, p.id desc`;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function toRun({ id, at, reactor_unit, source, data, moved_ml, exchange }: RunRow): readonly PumpRun[] {
  const parsed: unknown = JSON.parse(data);
  const fields = isObject(parsed) ? parsed : {};
  const output = pumpOutputs.find((one) => one === fields.output);
  const refused = text(fields.refused);
  if (output === undefined) return [];
  return [
    {
      id,
      at,
      unit: reactor_unit,
      pump: pumpOfOutput[output],
      jobId: number(fields.job_id),
      rule: text(fields.rule),
      isOutsideVial: fields.outside_vial === true,
      exchange,
      movedMl: refused === null ? moved_ml : null,
      requested: number(fields.to),
      requestedUnit: text(fields.unit) ?? '',
      refused,
      by: text(fields.started_by) ?? source,
    },
  ];
}

function toEntry(runs: DoseRuns): FoundEntry {
  const [{ id, at, unit, rule, by, refused }] = runs;
  return {
    id,
    at,
    entry: {
      ...withoutFacts,
      entry_id: `dose-${id}`,
      kind: 'dose',
      at: toTimestamp(at),
      reactor_unit: unit,
      text: doseText(runs),
      why: refused ?? rule,
      by,
      volumes_ml: volumesOf(runs) ?? null,
      refused: refused !== null,
    },
  };
}

/** A dose has some parts, so that so many runs are mostly enough for a page. */
const runsPerDose = 4;
const start: TimelinePosition = { at: Number.MAX_SAFE_INTEGER, id: 0 };

/** Doses: what pumps were requested to do, in the parts of one exchange together. */
export async function readDoses(reads: LeaderReader, filter: TimelineFilter): Promise<readonly FoundEntry[]> {
  const { experimentUid, unit, by, since = 0, until = start.at, before = start, limit } = filter;
  const scope = { experimentUid, ...(unit !== undefined && { unit }), ...(by !== undefined && { by }) };
  // The parts of a dose at the edge of the window belong to it.
  const window = { since: since - longestDoseMs, until: Math.min(until, before.at) + longestDoseMs };
  const batch = runsPerDose * limit;
  const runs: PumpRun[] = [];
  for (let from = start; ; ) {
    const rows = await pumpRunQuery({ ...scope, ...window, before: from, limit: batch }).execute(reads);
    runs.push(...rows.rows.flatMap(toRun));
    const oldest = rows.rows.at(-1);
    const isAll = rows.rows.length < batch;
    const doses = dosesOf(runs.toReversed())
      .filter(([{ at }]) => at >= since && at < until)
      .filter(([first]) => isAfter(first, before) && (isAll || first.at - longestDoseMs > (oldest?.at ?? 0)))
      .toSorted(([one], [other]) => (isAfter(one, other) ? 1 : -1));
    if (isAll || oldest === undefined || doses.length >= limit) return doses.slice(0, limit).map(toEntry);
    from = { at: oldest.at, id: oldest.id };
  }
}
