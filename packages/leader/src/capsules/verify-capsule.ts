import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  defaultGrowthRateParameters,
  type GrowthRateParameters,
  growthCurveVersion,
  growthSmootherName,
} from '@lcs/domain';
import { readZip } from '@lcs/node';
import { type Clock, type Log, readsOver } from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { LeaderSchema } from '../core/leader-context.ts';
import { growthSources, recomputed } from '../derived/derived-series-store.ts';
import { GrowthInputReader } from '../derived/growth-input.ts';
import { UnitReplay } from '../derived/growth-recomputation.ts';
import { CurveReader } from '../growth-curves/read-curve.ts';
import { unitGrowth } from '../growth-curves/unit-growth.ts';
import { sampleFlags } from '../series/sample-flags.ts';
import type { Reading } from '../series/series-ingest.ts';
import { capsuleFiles } from './capsule-format.ts';
import { type CheckedCapsule, capsuleLimits, checkCapsule, jsonOf, memberOf } from './check-capsule.ts';
import { loadCapsule } from './load-capsule.ts';

/** Stored growth rates of a unit, compared with those computed again from its ODs and doses. */
interface RecomputedRates {
  readonly reactor_unit: string;
  /** `measured`: by the unit while it measured; `recomputed`: by the leader from stored readings. */
  readonly origin: 'measured' | 'recomputed';
  /** Name and version. */
  readonly filter: string;
  /** False: another filter or version than this program's computed them. */
  readonly is_compared: boolean;
  readonly rates: number;
  /** Those that the computation gave at the same times. */
  readonly computed: number;
  /** Those of them that are equal to the last bit. */
  readonly identical: number;
  /** h⁻¹; null: nothing was compared. */
  readonly largest_difference: number | null;
}

/** What the verification of a capsule found. */
export interface CapsuleReport {
  readonly experiment: string;
  readonly software_version: string;
  readonly files: number;
  readonly readings: number;
  readonly growth_rates: readonly RecomputedRates[];
  /** Growth curves; null: other methods computed them. */
  readonly growth_curves: { readonly units: number; readonly identical: number } | null;
}

const StoredParameters = Type.Object({
  input: Type.Union([Type.Literal('od'), Type.Literal('raw_od'), Type.Literal('od_fused')]),
  recomputation: Type.Optional(Type.String()),
  exclude: Type.Optional(Type.Array(Type.Object({ from: Type.String(), to: Type.String() }))),
  exclude_flags: Type.Optional(Type.Array(Type.String())),
});

/** The parameters of the filter as they were stored. */
function filterParameters(stored: object): GrowthRateParameters {
  const known = Object.entries(stored).filter(([name]) => Object.hasOwn(defaultGrowthRateParameters, name));
  return { ...defaultGrowthRateParameters, ...Object.fromEntries(known) };
}

/** What this program computes: rates of another filter or version are not compared. */
const current = [false, true].map((smooth) =>
  recomputed({ recomputation: '', input: 'od', exclude: [], exclude_flags: [], smooth }, defaultGrowthRateParameters),
);
const isCurrent = (name: unknown, version: unknown): boolean =>
  current.some((one) => one.name === name && one.version === version);

interface StoredRates {
  readonly uid: string;
  readonly unit: string;
  readonly filter: string;
  readonly isCurrent: boolean;
  /** Computed in both directions. */
  readonly smooth: boolean;
  readonly parameters: unknown;
  /** ms to h⁻¹. */
  readonly rates: ReadonlyMap<number, number>;
}

function storedRates(database: DatabaseSync): StoredRates[] {
  const rows = database
    .prepare(
      `select s.experiment_uid as uid, s.unit, d.id, d.name, d.version, d.parameters, json_group_array(s.id) as ids
      from series s join derivations d on d.id = s.derivation_id
      where s.source = 'growth_rate' group by s.unit, d.id order by s.unit, d.id`,
    )
    .all();
  const samples = database.prepare('select at, value from samples where series_id = ?');
  return rows.map(({ uid, unit, name, version, parameters, ids }) => {
    const series: readonly number[] = JSON.parse(String(ids));
    const rates = series.flatMap((id) => samples.all(id).map(({ at, value }) => [Number(at), Number(value)] as const));
    return {
      uid: String(uid),
      unit: String(unit),
      filter: `${String(name)} ${String(version)}`,
      isCurrent: isCurrent(name, version),
      smooth: name === growthSmootherName,
      parameters: JSON.parse(String(parameters)),
      rates: new Map(rates),
    };
  });
}

const flagBits = (names: readonly string[]): number =>
  Object.entries(sampleFlags).reduce((bits, [name, bit]) => (names.includes(name) ? bits | bit : bits), 0);

const rateIndex = growthSources.indexOf('growth_rate');

/** Computes the rates of a unit again, as a leader recomputes growth rates. */
async function recomputedRates(
  database: DatabaseSync,
  { uid, unit, filter, isCurrent, smooth, parameters, rates }: StoredRates,
  usualVolumeMl: number,
): Promise<RecomputedRates> {
  const found = { reactor_unit: unit, filter, rates: rates.size, computed: 0, identical: 0, largest_difference: null };
  if (!Value.Check(StoredParameters, parameters)) return { ...found, origin: 'measured', is_compared: false };
  const { input, recomputation, exclude = [], exclude_flags = [] } = parameters;
  const origin = recomputation === undefined ? 'measured' : 'recomputed';
  if (!isCurrent) return { ...found, origin, is_compared: false };
  const nothing = { parameters: {}, units: null, exclude: [], exclude_flags: [], activate: false };
  const names = { experiment_uid: uid, experiment: '', recomputation: '', input, smooth };
  const replay = new UnitReplay({ ...names, ...nothing }, unit, filterParameters(parameters));
  const reader = new GrowthInputReader({
    read: readsOver<LeaderSchema>(async (sql, values) => database.prepare(sql).all(...values)),
    experimentUid: uid,
    unit,
    input,
    usualVolumeMl,
    leftOut: {
      spans: exclude.map(({ from, to }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to) })),
      flags: flagBits(exclude_flags),
    },
  });
  const doses = [...(await reader.doses(origin === 'measured' ? 'announced' : 'corrected'))];
  let [computed, identical, largest] = [0, 0, 0];
  const compare = (readings: readonly Reading[]): void => {
    for (const { series, at, value } of readings) {
      const stored = series === rateIndex ? rates.get(at) : undefined;
      if (stored === undefined) continue;
      computed += 1;
      if (value === stored) identical += 1;
      largest = Math.max(largest, Math.abs(value - stored));
    }
  };
  for (const stretch of await reader.stretches()) {
    for (const observation of await reader.observations(stretch)) {
      while ((doses[0]?.atMs ?? Number.POSITIVE_INFINITY) <= observation.atMs) replay.dose(doses.shift());
      replay.take(observation);
    }
    compare(replay.taken().readings);
  }
  for (const { readings } of replay.rest()) compare(readings);
  const difference = computed === 0 ? null : largest;
  return { ...found, origin, is_compared: true, computed, identical, largest_difference: difference };
}

const StoredCurves = Type.Object({
  method_version: Type.String(),
  units: Type.Array(
    Type.Object({
      question: Type.Object({
        experimentUid: Type.String(),
        unit: Type.String(),
        source: Type.String(),
        fromMs: Type.Union([Type.Number(), Type.Null()]),
        toMs: Type.Union([Type.Number(), Type.Null()]),
        excludeFlags: Type.Integer(),
        usualVolumeMl: Type.Number(),
        windowH: Type.Number(),
        leastOd: Type.Number(),
      }),
      growth: Type.Unknown(),
    }),
  ),
});

/** Computes the growth curves again, and counts those that are equal in all digits. */
async function comparedCurves(
  database: DatabaseSync,
  { files }: CheckedCapsule,
): Promise<CapsuleReport['growth_curves']> {
  const stored = await jsonOf(memberOf(files, capsuleFiles.growth));
  if (!Value.Check(StoredCurves, stored) || stored.method_version !== growthCurveVersion) return null;
  const reader = new CurveReader(database);
  const same = stored.units.filter(
    ({ question, growth }) => JSON.stringify(unitGrowth(reader, question)) === JSON.stringify(growth),
  );
  return { units: stored.units.length, identical: same.length };
}

/** Passes a checked capsule and a new folder with its store to `use`; the folder is removed afterwards. @throws ZipFault */
async function withStore<Result>(
  path: string,
  tools: { readonly wire: Clock; readonly log: Log },
  use: (capsule: CheckedCapsule, databasePath: string, readings: number) => Promise<Result>,
): Promise<Result> {
  return readZip(path, capsuleLimits, async (members) => {
    const capsule = await checkCapsule(members);
    const folder = await mkdtemp(join(tmpdir(), 'lcs-capsule-'));
    try {
      const databasePath = join(folder, 'leader.sqlite');
      return await use(capsule, databasePath, await loadCapsule(capsule, { ...tools, databasePath }));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** Verifies hashes and structure of a capsule, and computes its growth rates again. @throws ZipFault */
export function verifyCapsule(
  path: string,
  tools: { readonly wire: Clock; readonly log: Log },
): Promise<CapsuleReport> {
  return withStore(path, tools, async (capsule, databasePath, readings) => {
    const database = new DatabaseSync(databasePath, { readOnly: true });
    try {
      const rates: RecomputedRates[] = [];
      for (const one of storedRates(database)) rates.push(await recomputedRates(database, one, capsule.usualVolumeMl));
      return {
        experiment: String(database.prepare('select name from experiments').get()?.name ?? ''),
        software_version: capsule.softwareVersion,
        files: capsule.files.size,
        readings,
        growth_rates: rates,
        growth_curves: await comparedCurves(database, capsule),
      };
    } finally {
      database.close();
    }
  });
}

/** A leader continues the runs that have not ended: those of a capsule end with their last action. */
const endRunsSql = `
  update profile_runs set outcome = 'stopped',
    ended_at = ifnull((select max(i.at) from profile_items i where i.run_id = profile_runs.id), started_at)
  where ended_at is null`;

/** Unpacks a checked capsule as the store of a leader in an existing folder. Returns the experiment. @throws ZipFault */
export const unpackCapsule = (
  path: string,
  databasePath: string,
  tools: { readonly wire: Clock; readonly log: Log },
): Promise<string> =>
  readZip(path, capsuleLimits, async (members) => {
    await loadCapsule(await checkCapsule(members), { ...tools, databasePath });
    const database = new DatabaseSync(databasePath);
    try {
      database.exec(endRunsSql);
      return String(database.prepare('select name from experiments').get()?.name ?? '');
    } finally {
      database.close();
    }
  });
