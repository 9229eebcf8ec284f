import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { defaultGrowthRateParameters, type GrowthRateParameters, GrowthReplay, growthCurveVersion } from '@lcs/domain';
import { readZip } from '@lcs/node';
import { type Clock, type Log, readsOver } from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { LeaderSchema } from '../core/leader-context.ts';
import { GrowthInputReader } from '../derived/growth-input.ts';
import { CurveReader } from '../growth-curves/read-curve.ts';
import { unitGrowth } from '../growth-curves/unit-growth.ts';
import { sampleFlags } from '../series/sample-flags.ts';
import { capsuleFiles } from './capsule-format.ts';
import { type CheckedCapsule, capsuleLimits, checkCapsule, jsonOf, memberOf } from './check-capsule.ts';
import { loadCapsule } from './load-capsule.ts';

/** Stored growth rates of a unit, compared with those computed again from its ODs and doses. */
interface RecomputedRates {
  readonly reactor_unit: string;
  /** `measured`: by the unit while it measured; `recomputed`: by the leader from stored readings. */
  readonly origin: 'measured' | 'recomputed';
  readonly filter: string;
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
  liveliness: Type.Optional(Type.Tuple([Type.Number(), Type.Number()])),
});

const isParameter = (name: string): name is keyof GrowthRateParameters =>
  Object.hasOwn(defaultGrowthRateParameters, name);

/** The parameters of the filter as they were stored; those that did not exist then have their defaults. */
function filterParameters(stored: object, liveliness: readonly [number, number] | undefined): GrowthRateParameters {
  const known = Object.fromEntries(Object.entries(stored).filter(([name]) => isParameter(name)));
  return { ...defaultGrowthRateParameters, ...(liveliness && { driftScaleRange: liveliness }), ...known };
}

interface StoredRates {
  readonly uid: string;
  readonly unit: string;
  readonly filter: string;
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
      ...{ uid: String(uid), unit: String(unit), filter: `${String(name)} ${String(version)}` },
      ...{ parameters: JSON.parse(String(parameters)), rates: new Map(rates) },
    };
  });
}

const flagBits = (names: readonly string[]): number =>
  Object.entries(sampleFlags).reduce((bits, [name, bit]) => (names.includes(name) ? bits | bit : bits), 0);

/** Computes the rates of a unit again with the filter of this program. */
async function recomputedRates(
  database: DatabaseSync,
  { uid, unit, filter, parameters, rates }: StoredRates,
  usualVolumeMl: number,
): Promise<RecomputedRates> {
  const nothing = {
    reactor_unit: unit,
    filter,
    rates: rates.size,
    computed: 0,
    identical: 0,
    largest_difference: null,
  };
  if (!Value.Check(StoredParameters, parameters)) return { ...nothing, origin: 'measured' };
  const { input, recomputation, exclude = [], exclude_flags = [], liveliness } = parameters;
  const replay = new GrowthReplay(filterParameters(parameters, liveliness));
  const reader = new GrowthInputReader({
    read: readsOver<LeaderSchema>(async (sql, values) => database.prepare(sql).all(...values)),
    ...{ experimentUid: uid, unit, input, usualVolumeMl },
    leftOut: {
      spans: exclude.map(({ from, to }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to) })),
      flags: flagBits(exclude_flags),
    },
  });
  const doses = [...(await reader.doses())];
  let [computed, identical, largest] = [0, 0, 0];
  for (const stretch of await reader.stretches())
    for (const observation of await reader.observations(stretch)) {
      for (let dose = doses[0]; dose !== undefined && dose.atMs <= observation.atMs; dose = doses[0]) {
        replay.dose(dose);
        doses.shift();
      }
      const stored = rates.get(observation.atMs);
      const rate = replay.take(observation)?.rate;
      if (rate === undefined || stored === undefined) continue;
      computed += 1;
      if (rate === stored) identical += 1;
      largest = Math.max(largest, Math.abs(rate - stored));
    }
  const origin = recomputation === undefined ? 'measured' : 'recomputed';
  return { ...nothing, origin, computed, identical, largest_difference: computed === 0 ? null : largest };
}

const StoredCurves = Type.Object({
  method_version: Type.String(),
  units: Type.Array(
    Type.Object({
      question: Type.Object({
        ...{ experimentUid: Type.String(), unit: Type.String(), source: Type.String() },
        ...{ fromMs: Type.Union([Type.Number(), Type.Null()]), toMs: Type.Union([Type.Number(), Type.Null()]) },
        ...{
          excludeFlags: Type.Integer(),
          usualVolumeMl: Type.Number(),
          windowH: Type.Number(),
          leastOd: Type.Number(),
        },
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

/** Unpacks a checked capsule as the store of a leader in an existing folder. Returns the experiment. @throws ZipFault */
export const unpackCapsule = (
  path: string,
  databasePath: string,
  tools: { readonly wire: Clock; readonly log: Log },
): Promise<string> =>
  readZip(path, capsuleLimits, async (members) => {
    await loadCapsule(await checkCapsule(members), { ...tools, databasePath });
    const database = new DatabaseSync(databasePath, { readOnly: true });
    try {
      return String(database.prepare('select name from experiments').get()?.name ?? '');
    } finally {
      database.close();
    }
  });
