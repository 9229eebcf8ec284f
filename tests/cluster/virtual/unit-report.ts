import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { machineIdOf } from '../kill-units/ledger.ts';
import { StoredRecords } from '../kill-units/stored.ts';
import type { ControlledUnit } from './controlled-unit.ts';
import type { Truth } from './truth.ts';

export interface Restart {
  readonly unit: string;
  readonly cutAt: number;
  readonly backAt: number;
}

interface Expected {
  readonly restarts: readonly Restart[];
  /** Density, as a multiple of its start, that is held. */
  readonly target: number | undefined;
}

interface Run {
  readonly dataFolderOfLeader: string;
  readonly truthOf: (unit: string) => Truth;
}

interface UnitReport {
  readonly unit: string;
  /** Violations; empty when the run is correct. */
  readonly faults: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
  /** Errors of the unit with their counts. */
  readonly errors: readonly string[];
}

/** Limits of the model: above these the vial is full, the heater is turned down, a pump has run too long in an hour. */
const limits = { capacityMl: 40, fillMl: 36, heaterC: 78, pumpHourMs: 1_800_000 } as const;
/** Pumps differ from run to run; evaporation is not in the ledger. */
const volumeToleranceMl = 1;
/**
 * What was pumped may differ from what was said: runs of a pump scatter by 2 % (five deviations of the sum of runs of 1 ml at
 * most), and of a dose that is cut, which any cut may do, the half second that was entered beforehand.
 */
const pumpedToleranceMl = (pumpedMl: number, cuts: number): number => 5 * 0.02 * Math.sqrt(pumpedMl) + 0.06 * cuts;

/** All that a run must show of one unit. */
export function reportUnit(run: Run, unit: ControlledUnit, { restarts, target }: Expected): UnitReport {
  const faults: string[] = [];
  const must = (isSo: boolean, otherwise: string) => {
    if (!isSo) faults.push(otherwise);
  };
  using stored = new StoredRecords(run.dataFolderOfLeader);
  const compared = stored.compare(unit.ledger, machineIdOf(unit.dataFolder), unit.ledger.head);
  must(compared.lost.length === 0, `lost: ${compared.lost.slice(0, 5).join('; ')} (${compared.lost.length})`);
  must(compared.doubled.length === 0, `doubled: ${compared.doubled.slice(0, 5).join('; ')}`);
  must(
    compared.invented.length === 0,
    `invented: ${compared.invented.slice(0, 5).join('; ')} (${compared.invented.length})`,
  );
  must(compared.thinned === 0, `${compared.thinned} records were thinned`);

  const truth = run.truthOf(unit.name);
  must(truth.highest.volumeMl < limits.fillMl, `the vial had ${truth.highest.volumeMl} ml`);
  must(truth.spilledMl === 0, `${truth.spilledMl} ml ran over`);
  must(truth.highest.heaterC < limits.heaterC, `the heater had ${truth.highest.heaterC} °C`);

  const balance = balanceOf(unit);
  must(Math.abs(balance.imbalanceMl) < 1e-6, `the ledger is out of balance by ${balance.imbalanceMl} ml`);
  must(balance.mostPumpedInAnHourMs <= limits.pumpHourMs, `a pump ran ${balance.mostPumpedInAnHourMs} ms in an hour`);
  const plant = unit.node.board.plant?.state().vial.state;
  if (plant === undefined) throw new Error('The vial is not here.');
  const { media, altMedia } = plant.ledger;
  const offMl = balance.volumeMl - plant.volumeMl;
  must(
    Math.abs(offMl) < volumeToleranceMl,
    `the ledger contains ${balance.volumeMl} ml, the plant contains ${plant.volumeMl} ml`,
  );
  const pumped = balance.mediaMl + balance.altMediaMl;
  const own = restarts.filter(({ unit: name }) => name === unit.name);
  const tolerance = pumpedToleranceMl(pumped, own.length);
  const pumpedOffMl = pumped - media - altMedia;
  must(
    Math.abs(pumpedOffMl) < tolerance,
    `the ledger contains ${pumped} ml were pumped in, ${pumpedOffMl} ml too much`,
  );
  for (const { cutAt } of own) {
    const after = firstAfter(stored, unit.name, cutAt);
    const when = new Date(cutAt).toISOString();
    must(after.reading !== undefined, `no reading after the cut of ${when}`);
    must(after.dose !== undefined, `no dose after the cut of ${when}`);
    const waited = (after.dose ?? 0) - (after.reading ?? 0);
    must(waited >= 0, `after the cut of ${when} it dosed ${-waited} ms before the density was measured`);
  }
  for (const [from, to] of silences(stored, unit.name)) {
    const isExplained = own.some(({ cutAt, backAt }) => from <= cutAt + 1 && to <= backAt + longestSilenceMs);
    must(isExplained, `no density from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`);
  }
  const share = target === undefined ? undefined : inBand(stored, unit.name, target, own);
  return {
    unit: unit.name,
    faults,
    errors: stored.rows(errors, unit.name).map(({ times, source, message }) => `${times} × ${source}: ${message}`),
    figures: {
      records: compared.committed,
      readings: compared.readings,
      'refused by guard or limits': count(stored, unit.name, refusals),
      ...(share === undefined ? {} : { 'in ±5 %, %': 100 * share }),
      'pumped in, ml': pumped,
      'truly, ml': media + altMedia,
      'ledger off, ml': offMl,
      'highest volume, ml': truth.highest.volumeMl,
      'highest liquid, °C': truth.highest.liquidC,
      'highest heater, °C': truth.highest.heaterC,
    },
  };
}

/** Readings come every five seconds. */
const longestSilenceMs = 60_000;

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** When the density was measured first after a moment, and when medium was added first. */
function firstAfter(stored: StoredRecords, unit: string, at: number) {
  const [dose] = stored.rows(
    `select min(at) as at from events where reactor_unit = ? and name = 'dosing' and at > ?
      and json_extract(data, '$.volume_change_ml') > 0 and json_extract(data, '$.event') <> 'remove_waste'`,
    unit,
    at,
  );
  const [reading] = stored.rows(
    `select min(d.at) as at from series s join samples d on d.series_id = s.id
      where s.unit = ? and s.source in ('od', 'raw_od') and d.at > ?`,
    unit,
    at,
  );
  return { dose: numberOf(dose?.at), reading: numberOf(reading?.at) };
}

const refusals = `select count(*) as count from events
  where reactor_unit = ? and name = 'actuation' and json_extract(data, '$.refused') is not null`;
const errors = `select count(*) as times, source, message from logs
  where reactor_unit = ? and level in ('ERROR', 'CRITICAL') group by source, message order by times desc`;

const count = (stored: StoredRecords, unit: string, sql: string): number => Number(stored.rows(sql, unit)[0]?.count);

const samplesOf = (stored: StoredRecords, unit: string, source: string) =>
  stored
    .rows(
      'select d.at, d.value from series s join samples d on d.series_id = s.id where s.unit = ? and s.source = ? order by d.at',
      unit,
      source,
    )
    .map(({ at, value }) => ({ at: Number(at), value: Number(value) }));

/** Stretches in which the store has no density. */
function silences(stored: StoredRecords, unit: string): readonly (readonly [number, number])[] {
  const times = samplesOf(stored, unit, 'od').map(({ at }) => at);
  return times.slice(1).flatMap((at, index) => {
    const before = times[index] ?? at;
    return at - before > longestSilenceMs ? [[before, at] as const] : [];
  });
}

/** Share of the readings within five per cent of the target, from an hour after it was reached first; without those after cuts. */
function inBand(stored: StoredRecords, unit: string, target: number, restarts: readonly Restart[]) {
  const samples = samplesOf(stored, unit, 'od_filtered');
  const reached = samples.find(({ value }) => value >= target)?.at ?? Number.POSITIVE_INFINITY;
  const settled = samples.filter(
    ({ at }) =>
      at > reached + 3_600_000 && !restarts.some(({ cutAt, backAt }) => at > cutAt && at < backAt + 3_600_000),
  );
  const inside = settled.filter(({ value }) => Math.abs(value / target - 1) <= 0.05).length;
  return settled.length === 0 ? undefined : inside / settled.length;
}

interface Balance {
  readonly initialMl: number;
  readonly values: Readonly<Record<string, number>>;
  readonly totals: Readonly<Record<string, number>>;
}

/** The unit's ledger, recomputed from its totals and its entries. */
function balanceOf(unit: ControlledUnit) {
  using database = new DatabaseSync(join(unit.dataFolder, 'storage/unit.sqlite'), { readOnly: true });
  const states = database.prepare('select state from dosing_balances order by number desc').all();
  const { balance }: { balance: Balance } = JSON.parse(String(states[0]?.state));
  const { values, totals, initialMl } = balance;
  const value = (name: string) => values[name] ?? Number.NaN;
  const total = (name: string) => totals[name] ?? Number.NaN;
  const addedUp =
    initialMl + total('addedMl') - total('wasteMl') - total('sampledMl') - total('spilledMl') + total('correctedMl');
  const hours = database
    .prepare('select output, at / 3600000 as hour, sum(ran_ms) as ms from dosing_entries group by output, hour')
    .all();
  return {
    volumeMl: value('current_volume_ml'),
    mediaMl: value('cumulative_media_added_ml'),
    altMediaMl: value('cumulative_alt_media_added_ml'),
    imbalanceMl: addedUp - value('current_volume_ml'),
    mostPumpedInAnHourMs: Math.max(0, ...hours.map(({ ms }) => Number(ms))),
  };
}

export function reportOf(what: string, seconds: number, judged: readonly UnitReport[]): string {
  const lines = judged.flatMap(({ unit, figures, faults, errors }) => [
    `${unit}: ${Object.entries(figures)
      .map(([name, value]) => `${name} ${Number(value.toFixed(3))}`)
      .join(', ')}${faults.length === 0 ? '' : `; ${faults.length} faults`}`,
    ...errors.map((error) => `  ${error}`),
  ]);
  return [`${what}, in ${seconds.toFixed(0)} s`, ...lines].join('\n');
}
