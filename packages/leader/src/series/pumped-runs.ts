import { dosePieceGapMs, type PumpedVolume } from '@lcs/contract';
import { deliveryRoundingShare } from '@lcs/domain';
import { type RawBuilder, sql } from 'kysely';

export const pumpOutputs = ['media_pump', 'alt_media_pump', 'waste_pump'] as const;
export type PumpOutput = (typeof pumpOutputs)[number];

/** No dose is longer: the parts of one are looked for so far away from each other. */
export const longestDoseMs = 600_000;

export type PumpedState = PumpedVolume['state'];

/** A run that ends with a correction and is shorter by more than this share was stopped. Chosen: timers end a run some milliseconds early. */
const shortShare = 0.05;

/**
 * Runs of pumps (`id`, `at`, `experiment_uid`, `reactor_unit`, `output`, …) with `until_at`, the next run of the same pump: a common table expression
 * named `runs`. What the ledger has from one to the other is of the run.
 */
export const runsUntilNext = (of: RawBuilder<unknown>): RawBuilder<unknown> => sql`runs as materialized (
    select f.*, min(f.at + ${longestDoseMs}, coalesce((
      select min(n.at) from events n indexed by actuations_by_unit_output
      where n.name = 'actuation' and n.reactor_unit = f.reactor_unit and json_extract(n.data, '$.output') = f.output
        and n.at > f.at and json_extract(n.data, '$.from') is null and json_extract(n.data, '$.refused') is null
    ), f.at + ${longestDoseMs})) as until_at
    from ${of} f)`;

/** The change of the volume of the vial by an entry, in the direction of the pump: what a waste pump moves is mostly air. */
const movedMl = sql`coalesce(
    (cast(json_extract(d.data, '$.volume_after_ml') as real) - cast(json_extract(d.data, '$.volume_before_ml') as real))
      * iif(p.output = 'waste_pump', -1, 1),
    cast(json_extract(d.data, '$.volume_change_ml') as real))`;

const changeMl = sql`cast(json_extract(d.data, '$.volume_change_ml') as real)`;

const text = (value: RawBuilder<unknown>): RawBuilder<unknown> => sql`coalesce(cast(${value} as text), '')`;

/**
 * What the ledger has of a run `p` of `runs`, as numbers with blanks between them: liquid, all that was moved, the newest entry, the newest
 * correction. A dose has an entry every half second, and one below 0 when less was pumped.
 */
export const runLedger: RawBuilder<string> = sql<string>`(
    select ${text(sql`sum(${movedMl})`)} || ' ' || ${text(sql`sum(${changeMl})`)} || ' ' || ${text(sql`max(d.at)`)}
      || ' ' || ${text(sql`max(case when ${changeMl} < 0 then d.at end)`)}
    from events d indexed by events_by_experiment
    where d.experiment_uid = p.experiment_uid and d.name = 'dosing' and d.reactor_unit = p.reactor_unit
      and d.at >= p.at and d.at < p.until_at
      and json_extract(d.data, '$.event') = case p.output
        when 'media_pump' then 'add_media' when 'alt_media_pump' then 'add_alt_media' else 'remove_waste' end
      and json_extract(d.data, '$.correction') is null
  )`;

/** 1: the pump of a run `p` of `runs` was switched off before the run was whole. */
export const runIsSwitchedOff: RawBuilder<number> = sql<number>`case when exists (
    select 1 from events z indexed by actuations_by_unit_output
    where z.name = 'actuation' and z.reactor_unit = p.reactor_unit and json_extract(z.data, '$.output') = p.output
      and z.at >= p.at and z.at <= p.until_at and z.id > p.id and cast(json_extract(z.data, '$.to') as real) = 0
      and json_extract(z.data, '$.from') is not null) then 1 else 0 end`;

/** The columns of a query of runs. */
export interface RunLedgerRow {
  readonly ledger: string;
  readonly is_switched_off: number;
}

export interface LedgerOfRun {
  /** Liquid that was moved into the vial or out of it. */
  readonly movedMl: number;
  /** What the pump has moved, air too. */
  readonly enteredMl: number;
  readonly lastAtMs: number;
  /** The newest entry takes back what was announced and not pumped. */
  readonly endsWithCorrection: boolean;
  readonly isSwitchedOff: boolean;
}

/** Null: the unit recorded no volume, as while a tube is filled. */
export function ledgerOfRun({ ledger, is_switched_off }: RunLedgerRow): LedgerOfRun | null {
  const [moved = '', entered = '', lastAt = '', correctedAt = ''] = ledger.split(' ');
  if (moved === '' || entered === '' || lastAt === '') return null;
  return {
    movedMl: Number(moved),
    enteredMl: Number(entered),
    lastAtMs: Number(lastAt),
    endsWithCorrection: correctedAt === lastAt,
    isSwitchedOff: is_switched_off === 1,
  };
}

export interface RequestedRun {
  readonly atMs: number;
  readonly output: PumpOutput;
  /** `null`: until it is stopped. */
  readonly requested: { readonly amount: number | null; readonly unit: string };
}

function stateOf({ atMs, requested }: RequestedRun, ledger: LedgerOfRun, nowMs: number): PumpedState {
  const { amount, unit } = requested;
  const { enteredMl, lastAtMs } = ledger;
  if (ledger.isSwitchedOff) return 'stopped';
  const isShort = amount !== null && unit === 'mL' && enteredMl < amount * (1 - shortShare);
  if (ledger.endsWithCorrection) return isShort ? 'stopped' : 'ended';
  const isOver =
    amount !== null &&
    (unit === 'mL' ? enteredMl >= amount * (1 - deliveryRoundingShare) : nowMs >= atMs + amount * 1000);
  return !isOver && nowMs - lastAtMs <= dosePieceGapMs ? 'pumping' : 'ended';
}

/** What a run of a pump has moved, by the ledger alone. Null: its unit recorded no volume. */
export function pumpedBy(
  run: RequestedRun,
  ledger: LedgerOfRun | null,
  nowMs: number,
): { readonly volumeMl: number; readonly state: PumpedState } | null {
  if (ledger === null) return null;
  return { volumeMl: Math.round(1e4 * ledger.movedMl) / 1e4, state: stateOf(run, ledger, nowMs) };
}
