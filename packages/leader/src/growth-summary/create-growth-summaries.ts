import {
  ApiError,
  type GrowthComparisonQuery,
  type GrowthSummaryQuery,
  type growthCurveRoutes,
  type Handlers,
  type Json,
} from '@lcs/contract';
import {
  type Alignment,
  bioreactorSettings,
  defaultWindowH,
  type FitName,
  fitReferences,
  growthCurveVersion,
  settingOrDefault,
  testReferences,
} from '@lcs/domain';
import { type IniView, type Service, type TaskKind, toTimestamp } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import type { LeaderContext } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { queryTimestamp } from '../core/timestamps.ts';
import { bitsOfFlags, defaultExcludedFlags } from '../growth-curves/default-excluded-flags.ts';
import type { GrowthQuestion, UnitGrowth } from '../growth-curves/unit-growth.ts';
import { experimentKey } from '../queries/experiments.ts';
import { replicateGroups } from '../replicate-groups/replicate-groups.ts';
import type { SeriesStore } from '../series/series-store.ts';
import { alignedCurve, meanCurve } from './aligned-curves.ts';
import { groupBody, testBodies, type UnitsOfGroup } from './group-results.ts';
import { GrowthCache } from './growth-cache.ts';
import { GrowthThreads } from './growth-threads.ts';
import { type UnitPlace, unitBody } from './wire-growth.ts';

export interface GrowthSummariesOptions {
  readonly context: LeaderContext;
  readonly series: Pick<SeriesStore, 'changes'>;
  readonly config: () => IniView;
  readonly place: StorePlace;
  readonly version: string;
}

/** Units that a request computes; of more a task does. */
const unitsAtOnce = 24;

type TaskInput = { readonly questions: readonly Readonly<GrowthQuestion>[] };

/** A unit of an experiment and what is computed of it. */
interface AskedUnit {
  readonly place: UnitPlace;
  readonly question: GrowthQuestion;
}

interface ComputedUnit extends AskedUnit {
  readonly growth: UnitGrowth;
}

/** Growth curves of experiments: summaries, comparisons, and the task that computes many. */
export class GrowthSummaries {
  readonly handlers: Handlers<typeof growthCurveRoutes>;
  readonly parts: readonly Service[];
  readonly #options: GrowthSummariesOptions;
  readonly #threads: GrowthThreads;
  readonly #cache: GrowthCache;
  readonly #kind: TaskKind<TaskInput>;

  /** Create it before the tasks start. */
  constructor(options: GrowthSummariesOptions) {
    this.#options = options;
    const { context, place, series } = options;
    this.#threads = new GrowthThreads({ place, log: context.log });
    this.#cache = new GrowthCache(series.changes);
    this.parts = [this.#threads];
    this.#kind = {
      kind: 'compute_growth_curves',
      lock: 'growth-curves-lock',
      resumable: true,
      run: async ({ questions }, task): Promise<Json> => {
        const missing = this.#missing(questions);
        await this.#compute(missing, task.signal, (done) =>
          task.progress(done / missing.length, `${done} of ${missing.length} units`),
        );
        return { units: questions.length, computed: missing.length };
      },
    };
    context.tasks.register(this.#kind);
    this.handlers = this.#createHandlers();
  }

  #createHandlers(): Handlers<typeof growthCurveRoutes> {
    const { context } = this.#options;
    return {
      getGrowthSummary: async ({ params, query, signal }) => {
        const units = await this.#computed([params.experiment], query, signal);
        const known = units[0] ?? [];
        const bodies = known.map(({ place, growth }) => unitBody(place, growth));
        const groups = groupsOf(bodies);
        return {
          status: 200,
          body: {
            experiment: params.experiment,
            ...this.#provenance(query),
            units: bodies,
            groups: groups.map(groupBody),
            tests: testBodies(groups),
          },
        };
      },
      computeGrowthSummary: async ({ params, query }) => {
        const asked = await this.#asked(params.experiment, query);
        const questions = asked.map(({ question }) => question);
        const { taskId } = await context.tasks.submit(this.#kind, { questions });
        return { status: 202, body: acceptedTask(context.leader, taskId) };
      },
      compareGrowth: async ({ query, signal }) => {
        const alignment = alignmentOf(query);
        const experiments = [...new Set(query.experiments)];
        const units = await this.#computed(experiments, query, signal);
        const all = experiments.map((experiment, index) =>
          comparedExperiment(experiment, units[index] ?? [], alignment),
        );
        const groups = all.flatMap((one) => one.groups);
        return {
          status: 200,
          body: {
            align: alignment.on,
            od: alignment.on === 'od' ? alignment.od : null,
            ...this.#provenance(query),
            experiments: all.map(({ experiment, curves, means }) => ({ experiment, curves, means })),
            groups: groups.map(groupBody),
            tests: testBodies(groups),
          },
        };
      },
    };
  }

  /** The units of each experiment that have readings. @throws ApiError growth_summary_not_ready, growth_curves_failed */
  async #computed(
    experiments: readonly string[],
    query: GrowthSummaryQuery,
    signal: AbortSignal,
  ): Promise<readonly (readonly ComputedUnit[])[]> {
    const asked = await Promise.all(experiments.map((experiment) => this.#asked(experiment, query)));
    // Kept for the whole request: what is missing may take minutes, in which a kept result becomes too old.
    const known = new Map<string, UnitGrowth | null>();
    const missing = asked.flat().flatMap(({ question }) => {
      const found = this.#find(question);
      if (found === undefined) return [question];
      known.set(JSON.stringify(question), found.growth);
      return [];
    });
    if (missing.length > unitsAtOnce)
      throw new ApiError('growth_summary_not_ready', { units: missing.length, most: unitsAtOnce });
    const computed = await this.#compute(missing, signal, () => {});
    return asked.map((units) =>
      units.flatMap((unit) => {
        const key = JSON.stringify(unit.question);
        const growth = computed.get(key) ?? known.get(key);
        return growth ? [{ ...unit, growth }] : [];
      }),
    );
  }

  #find(question: GrowthQuestion) {
    return this.#cache.find(question, this.#options.context.clock.now());
  }

  #missing(questions: readonly GrowthQuestion[]): readonly GrowthQuestion[] {
    return questions.filter((question) => this.#find(question) === undefined);
  }

  /** By the text of the question: the cache may have dropped a result before it is read. */
  async #compute(
    questions: readonly GrowthQuestion[],
    signal: AbortSignal,
    onProgress: (done: number) => void,
  ): Promise<ReadonlyMap<string, UnitGrowth | null>> {
    const found = new Map<string, UnitGrowth | null>();
    if (questions.length === 0) return found;
    const keep = questions.map((question) => this.#cache.begin(question));
    await this.#threads.run(questions, signal, (index, growth) => {
      keep[index]?.(growth, this.#options.context.clock.now());
      found.set(JSON.stringify(questions[index]), growth);
      onProgress(index + 1);
    });
    return found;
  }

  /** The units that have readings of the source. @throws ApiError experiment_not_found, invalid_query */
  async #asked(experiment: string, query: GrowthSummaryQuery): Promise<readonly AskedUnit[]> {
    const { read } = this.#options.context.database;
    const key = await experimentKey(read, experiment).select('uid').executeTakeFirst();
    if (key === undefined) throw new ApiError('experiment_not_found', { experiment });
    const { source = 'od', exclude_flags = defaultExcludedFlags } = query;
    const shared = {
      experimentUid: key.uid,
      source,
      fromMs: query.from === undefined ? null : queryTimestamp('from', query.from),
      toMs: query.to === undefined ? null : queryTimestamp('to', query.to),
      excludeFlags: bitsOfFlags(exclude_flags),
      usualVolumeMl: this.#usualVolumeMl(),
      windowH: query.window_h ?? defaultWindowH,
      leastOd: query.least_od ?? 0,
    };
    const units = await read
      .selectFrom('series')
      .where('experiment_uid', '=', key.uid)
      .where('source', '=', source)
      .select('unit')
      .distinct()
      .orderBy('unit')
      .execute();
    const groups = await replicateGroups(read, experiment);
    const labels = await read
      .selectFrom('unit_labels')
      .where('experiment_id', '=', key.id)
      .select(['reactor_unit', 'label'])
      .execute();
    return units.map(({ unit }) => ({
      place: {
        reactor_unit: unit,
        label: labels.find(({ reactor_unit }) => reactor_unit === unit)?.label ?? null,
        group: groups.find((group) => group.units.includes(unit))?.name ?? null,
      },
      question: { ...shared, unit },
    }));
  }

  #usualVolumeMl(): number {
    const { initialVolume } = bioreactorSettings;
    return settingOrDefault(this.#options.config(), initialVolume) || initialVolume.absent;
  }

  #provenance({ source = 'od', window_h, least_od, exclude_flags }: GrowthSummaryQuery) {
    return {
      computed_at: toTimestamp(this.#options.context.clock.now()),
      software_version: this.#options.version,
      method_version: growthCurveVersion,
      source,
      window_h: window_h ?? defaultWindowH,
      least_od: least_od ?? 0,
      exclude_flags: [...(exclude_flags ?? defaultExcludedFlags)],
      fits: fitNames.map((fit) => ({ fit, ...fitReferences[fit] })),
      test_methods: { ...testReferences },
    };
  }
}

const fitNames = [
  'log_linear',
  'gompertz',
  'baranyi_roberts',
  'gaussian_process',
] as const satisfies readonly FitName[];

/** @throws ApiError invalid_query */
function alignmentOf({ align = 'start', od }: GrowthComparisonQuery): Alignment {
  if (align !== 'od') return { on: align };
  if (od !== undefined) return { on: 'od', od };
  throw new ApiError('invalid_query', {
    name: 'od',
    cause: 'Curves are aligned on an optical density, which is missing.',
    remediation: 'Send it, for example align=od&od=0.3.',
  });
}

/** The replicate groups with units, in the order of the units. */
const groupsOf = (units: UnitsOfGroup['units']): readonly UnitsOfGroup[] =>
  [...Map.groupBy(units, ({ group }) => group)].flatMap(([name, members]) =>
    name === null ? [] : [{ name, units: members }],
  );

function comparedExperiment(experiment: string, units: readonly ComputedUnit[], alignment: Alignment) {
  const bodies = units.map(({ place, growth }) => unitBody(place, growth));
  const curves = units.map(({ place, growth }) => alignedCurve(place, growth, alignment));
  const named = groupsOf(bodies);
  const groups = (named.length > 0 ? named : [{ name: '', units: bodies }]).map(({ name, units: members }) => ({
    name: name === '' ? experiment : `${experiment}: ${name}`,
    units: members,
  }));
  const means = groups.flatMap(({ name, units: members }) => {
    const inside = new Set(members.map(({ reactor_unit }) => reactor_unit));
    return (
      meanCurve(
        name,
        curves.filter(({ reactor_unit }) => inside.has(reactor_unit)),
      ) ?? []
    );
  });
  return { experiment, curves, means, groups };
}
