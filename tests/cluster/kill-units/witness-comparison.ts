import { readWitness } from '@lcs/hardware';
import type { CompletedKill } from './killed-process.ts';
import type { Ledger, LedgerBoot, LedgerRecord } from './ledger.ts';

/** A unit's actions according to its board. Times are the host's, milliseconds since 1970. */
export interface WitnessComparison {
  /** Readings that the board did not measure, or that claim a later moment than its conversions have. */
  readonly unwitnessed: readonly string[];
  /** Measured long enough before the end of a boot, and not committed. */
  readonly missing: readonly string[];
  /** The longest time before its kill from which a unit has lost readings. */
  readonly worstLossMs: number;
  /** The longest time from a kill until the last output was off. */
  readonly worstSafeMs: number;
  /** Outputs that were on a second after a kill. */
  readonly unsafe: readonly string[];
  /** Committed readings of the witnessed photodiode. */
  readonly readings: number;
}

/** The photodiode at 90 degrees. */
const device = 'i2c 0x49';
/** Clocks of two processes, read one after the other. */
const slackMs = 20;
const safeWithinMs = 1_000;
/** A run that measures for longer than this before its first reading is on disk has lost readings: a start is shorter. */
const longestStartMs = 2_000;

interface Reading {
  readonly seq: number;
  /** When the job had its value; later than the conversions, earlier than the next ones. */
  readonly reportedMs: number;
  /** Its own time stamp, by the host's clock. */
  readonly atMs: number | undefined;
}

/** What a unit has committed. */
export type Recorded = Pick<Ledger, 'unit' | 'records' | 'boots' | 'series'>;

/** Compares a unit's records with the witness file of its board. `kills`: kills of the unit. */
export function compareWithWitness(
  ledger: Recorded,
  witnessPath: string,
  kills: readonly CompletedKill[],
  lossMs: number,
): WitnessComparison {
  const entries = readWitness(witnessPath);
  const conversions = entries.flatMap((entry) =>
    entry.kind === 'conversion' && entry.device === device ? [entry.at] : [],
  );
  const boots = [...Map.groupBy(rawReadings(ledger), ({ boot }) => boot)].sort(([a], [b]) => a - b);
  const mappings = ledger.boots();
  const stepped = new Set(ledger.records.filter(({ more }) => more.name === 'clock_step').map(({ boot }) => boot));
  const unwitnessed: string[] = [];
  const missing: string[] = [];
  let worstLossMs = 0;
  let from = 0;
  for (const [index, [boot, records]] of boots.entries()) {
    const readings = records.map((record) => readingOf(record, mappings.get(record.boot), stepped.has(record.boot)));
    const nextBoot = mappings.get(boots[index + 1]?.[0] ?? -1);
    const untilMs = nextBoot?.guess0 ?? Number.POSITIVE_INFINITY;
    // Before its first reading a job measures darkness and gains.
    const firstMs = readings[0]?.reportedMs ?? 0;
    while ((conversions[from] ?? untilMs) <= firstMs) from += 1;
    const taken: number[] = [];
    for (const { seq, reportedMs, atMs } of readings.slice(1)) {
      const begin = from;
      while ((conversions[from] ?? Number.POSITIVE_INFINITY) <= reportedMs) from += 1;
      taken.push(from - begin);
      const lastMs = conversions[from - 1] ?? 0;
      if (from === begin) unwitnessed.push(`${ledger.unit} ${seq}: no conversion`);
      if (atMs !== undefined && atMs > lastMs + slackMs)
        unwitnessed.push(`${ledger.unit} ${seq}: ${atMs - lastMs} ms late`);
    }
    const usual = median(taken);
    taken.forEach((count, index) => {
      const [before = 0, after = 0] = readings.slice(index, index + 2).map(({ seq }) => seq);
      if (count < 2 * usual || isExplained(ledger, before, after)) return;
      missing.push(`${ledger.unit} between ${before} and ${after}: ${count} conversions`);
    });
    const kill = kills.find(({ atMs }) => atMs > (mappings.get(boot)?.guess0 ?? 0) && atMs < untilMs);
    // Conversions after the observed kill belong to later runs: a run that ended before its first record has no boot here.
    const lastMs = kill?.atMs ?? untilMs;
    const tail: number[] = [];
    while ((conversions[from] ?? untilMs) < untilMs && (conversions[from] ?? 0) <= lastMs) {
      tail.push(conversions[from++] ?? 0);
    }
    const others: number[] = [];
    while ((conversions[from] ?? untilMs) < untilMs) others.push(conversions[from++] ?? 0);
    missing.push(...lostWithoutReading(ledger.unit, boot, others, kills));
    if (kill === undefined || tail.length < usual) continue;
    // A unit that killed itself ran at least until the last conversion of the board.
    const endMs = Math.min(kill.orderedMs ?? Number.POSITIVE_INFINITY, tail.at(-1) ?? kill.atMs);
    const lost = endMs - (tail[usual - 1] ?? endMs);
    worstLossMs = Math.max(worstLossMs, lost);
    if (lost > lossMs)
      missing.push(`${ledger.unit} boot ${boot}: the last ${lost} ms before its kill (${tail.length} conversions)`);
  }
  return { unwitnessed, missing, worstLossMs, readings: boots.flatMap(([, list]) => list).length, ...safety() };

  function safety(): Pick<WitnessComparison, 'unsafe' | 'worstSafeMs'> {
    const unsafe: string[] = [];
    let worstSafeMs = 0;
    for (const { atMs: killMs } of kills) {
      const levels = new Map<string, number>();
      for (const entry of entries) {
        if (entry.kind !== 'output') continue;
        if (entry.at > killMs + safeWithinMs) break;
        if (entry.at > killMs) worstSafeMs = Math.max(worstSafeMs, entry.at - killMs);
        levels.set(entry.output, entry.percent);
      }
      for (const [output, percent] of levels)
        if (percent > 0) unsafe.push(`${ledger.unit}: ${output} at ${percent} %, a second after its kill`);
    }
    return { unsafe, worstSafeMs };
  }
}

/** Lives between two boots that measured for long and of which nothing was on disk. */
function lostWithoutReading(
  unit: string,
  boot: number,
  conversions: readonly number[],
  kills: readonly CompletedKill[],
): readonly string[] {
  const runs = Map.groupBy(conversions, (atMs) => kills.findIndex((kill) => kill.atMs >= atMs));
  return [...runs].flatMap(([life, own]) => {
    const spanMs = (own.at(-1) ?? 0) - (own[0] ?? 0);
    // The last one is the next boot's start, before its clock was guessed.
    const isLost = life >= 0 && spanMs > longestStartMs;
    return isLost ? [`${unit} after boot ${boot}: ${spanMs} ms of a life (${own.length} conversions)`] : [];
  });
}

/**
 * Whether the unit itself reports why there may be conversions without a reading between two numbers: its job failed or began
 * anew, or records were thinned out before they were seen here.
 */
function isExplained(ledger: Recorded, before: number, after: number): boolean {
  const between = ledger.records.filter(({ seq }) => seq > before && seq < after);
  if (between.length < after - before - 1) return true;
  return between.some(
    ({ more }) =>
      (more.kind === 'log' && more.task === 'od_reading') || (more.kind === 'state' && more.job_name === 'od_reading'),
  );
}

function rawReadings(ledger: Recorded): LedgerRecord[] {
  const isWitnessed = ({ source, channel }: Readonly<Record<string, unknown>>) =>
    source === 'raw_od' && channel === '2';
  const raw = new Set([...ledger.series()].flatMap(([id, series]) => (isWitnessed(series) ? [id] : [])));
  return ledger.records.filter(({ series }) => series !== null && raw.has(series));
}

function readingOf({ seq, mono, at, more }: LedgerRecord, boot: LedgerBoot | undefined, isStepped: boolean): Reading {
  const { guess0 = 0, wall0 = null } = boot ?? {};
  const offset = more.unsynced === true || wall0 === null ? 0 : wall0 - guess0;
  return { seq, reportedMs: guess0 + mono / 1_000 + 2, atMs: isStepped ? undefined : at - offset };
}

const median = (counts: readonly number[]): number =>
  [...counts].sort((a, b) => a - b)[Math.floor(counts.length / 2)] ?? Number.POSITIVE_INFINITY;
