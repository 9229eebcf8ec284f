import { isObject, sourceWithoutAccount, wordsInPlaceOfAccounts } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import type { LeaderReader } from '../queries/experiments.ts';
import {
  ledgerOfRun,
  longestDoseMs,
  type PumpOutput,
  pumpedBy,
  pumpOutputs,
  type RunLedgerRow,
  runIsSwitchedOff,
  runLedger,
  runsUntilNext,
} from '../series/pumped-runs.ts';
import { type DoseRuns, dosesOf, doseText, type PumpRun, volumesOf } from './pump-runs.ts';
import {
  type FoundEntry,
  isAfter,
  type TimelineFilter,
  type TimelinePosition,
  withoutFacts,
} from './timeline-source.ts';

interface RunRow extends RunLedgerRow {
  readonly id: number;
  readonly at: number;
  readonly reactor_unit: string;
  readonly source: string | null;
  /** JSON. */
  readonly data: string;
  readonly exchange: number | null;
}

const pumpOfOutput = { media_pump: 'media', alt_media_pump: 'alt_media', waste_pump: 'waste' } as const;

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
    select v.id, v.at, v.experiment_uid, v.reactor_unit, v.source, v.data, ${output} as output
    from events v indexed by ${sql.ref(unit === undefined ? 'actuations_by_experiment_output' : 'actuations_by_unit_output')}
    where v.name = 'actuation' and v.experiment_uid = ${experimentUid} and json_extract(v.data, '$.output') = ${output}
      and v.at >= ${since} and v.at < ${until} and (v.at, v.id) < (${before.at}, ${before.id})
      and json_extract(v.data, '$.from') is null
      ${unit === undefined ? sql`` : sql`and v.reactor_unit = ${unit}`}
      ${by === undefined ? sql`` : sql`and ${isBy(by)}`}
    order by v.at desc, v.id desc limit ${limit})`;

/** The newest runs of all pumps, each with what the ledger has of it. */
export const pumpRunQuery = (filter: RunFilter): RawBuilder<RunRow> => sql<RunRow>`
  with page as materialized (
    select * from (${sql.join(
      pumpOutputs.map((output) => runsOfPump(output, filter)),
      sql` union all `,
    )})
    order by at desc, id desc limit ${filter.limit}),
  ${runsUntilNext(sql.ref('page'))}
  select p.id, p.at, p.reactor_unit, p.source, p.data, (
    select s.id from events s indexed by events_by_experiment
    where s.experiment_uid = ${filter.experimentUid} and s.name = 'automation' and s.reactor_unit = p.reactor_unit
      and s.at <= p.at and s.at > p.at - ${longestDoseMs} and json_extract(s.data, '$.event_name') = 'DosingStarted'
    order by s.at desc limit 1
  ) as exchange, ${runLedger} as ledger, ${runIsSwitchedOff} as is_switched_off
  from runs p order by p.at desc, p.id desc`;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function toRun(row: RunRow, nowMs: number): readonly PumpRun[] {
  const { id, at, reactor_unit, source, data, exchange } = row;
  const parsed: unknown = JSON.parse(data);
  const fields = isObject(parsed) ? parsed : {};
  const output = pumpOutputs.find((one) => one === fields.output);
  const refused = text(fields.refused);
  if (output === undefined) return [];
  const requested = { amount: number(fields.to), unit: text(fields.unit) ?? '' };
  const pumped = refused === null ? pumpedBy({ atMs: at, output, requested }, ledgerOfRun(row), nowMs) : null;
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
      movedMl: pumped?.volumeMl ?? null,
      state: pumped?.state ?? null,
      requested: requested.amount,
      requestedUnit: requested.unit,
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
export async function readDoses(
  reads: LeaderReader,
  filter: TimelineFilter,
  nowMs: number,
): Promise<readonly FoundEntry[]> {
  const { experimentUid, unit, by, since = 0, until = start.at, before = start, limit } = filter;
  const scope = { experimentUid, ...(unit !== undefined && { unit }), ...(by !== undefined && { by }) };
  // The parts of a dose at the edge of the window belong to it.
  const window = { since: since - longestDoseMs, until: Math.min(until, before.at) + longestDoseMs };
  const batch = runsPerDose * limit;
  const runs: PumpRun[] = [];
  for (let from = start; ; ) {
    const rows = await pumpRunQuery({ ...scope, ...window, before: from, limit: batch }).execute(reads);
    runs.push(...rows.rows.flatMap((row) => toRun(row, nowMs)));
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
