import {
  ActiveCalibrations,
  BiomassSignals,
  entriesOf,
  hasShape,
  isObject,
  type LiveJob,
  type Model,
  type PreflightReport,
  type UnitOutcome,
} from '@lcs/contract';
import {
  type PreflightFacts,
  type PreflightUnit,
  type ProfileUnits,
  preflightChecks,
  preflightFindings,
  profilePlan,
  type ReportedJob,
} from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import { Type } from 'typebox';
import type { LeaderContext } from '../../core/leader-context.ts';
import { workersOfExperiment } from '../../queries/assignments.ts';
import type { ValidProfile } from '../expect-profile.ts';

export interface ProfilePreflightOptions {
  readonly context: Pick<LeaderContext, 'database' | 'fleet' | 'units' | 'clock'>;
  readonly models: { find(name: string, version: string): Promise<Model | undefined> };
  readonly diskSpace: { readonly level: PreflightFacts['leaderDisk'] };
  /** The newest known levels of bottles; of waste bottles the free volume. */
  readonly bottles: () => Iterable<{ readonly unit: string; readonly bottle: string; readonly leftMl: number }>;
  /** The running jobs of all units with their settings, by the live stream. */
  readonly jobs: { all(): readonly LiveJob[] };
  readonly plugins: () => PreflightFacts['plugins'];
}

const NamedJob = Type.Object({ job_name: Type.String(), job_id: Type.Integer() });

/** Each unit is asked for at most this long; all of them in parallel. */
const limits = { readMs: 2_000, readAllMs: 5_000 };

const isPump = (bottle: string): bottle is 'media' | 'alt_media' | 'waste' =>
  bottle === 'media' || bottle === 'alt_media' || bottle === 'waste';

/** A unit that answers with an error is there. */
const unreachableBecause = (outcome: UnitOutcome | undefined): string | undefined =>
  outcome !== undefined && !outcome.ok && outcome.status_code === null
    ? (outcome.error.cause ?? outcome.error.message)
    : undefined;

function freeBytesOf(outcome: UnitOutcome | undefined): number | undefined {
  if (!outcome?.ok || !isObject(outcome.value)) return undefined;
  const { free_bytes: free } = outcome.value;
  return typeof free === 'number' ? free : undefined;
}

const cultureOf = (outcome: UnitOutcome | undefined): BiomassSignals['culture'] =>
  outcome?.ok && hasShape(BiomassSignals, outcome.value) ? outcome.value.culture : undefined;

/** The jobs that a unit reports, with the settings that the leader has of them. */
const runningJobsOf = (outcome: UnitOutcome | undefined, known: readonly LiveJob[]): readonly ReportedJob[] =>
  outcome?.ok
    ? (entriesOf(NamedJob, outcome.value) ?? []).map(({ job_name: job, job_id }) => ({
        job,
        settings: known.find((each) => each.job_id === job_id)?.settings ?? {},
      }))
    : [];

/** Checks what a run of a profile needs, before it begins. */
export class ProfilePreflight {
  readonly #options: ProfilePreflightOptions;

  constructor(options: ProfilePreflightOptions) {
    this.#options = options;
  }

  /** A unit that cannot be asked is a finding. Never rejects because of a unit. */
  async check(valid: ValidProfile, units: ProfileUnits, experiment: string): Promise<PreflightReport> {
    const { context, diskSpace, plugins } = this.#options;
    const plan = profilePlan(valid, units);
    const acting = plan.units.filter(({ actions }) => actions.length > 0).map(({ reactor_unit }) => reactor_unit);
    const nowMs = context.clock.now();
    const facts: PreflightFacts = {
      nowMs,
      units: await this.#units(acting, experiment),
      leaderDisk: diskSpace.level,
      plugins: plugins(),
    };
    return {
      checked_at: toTimestamp(nowMs),
      findings: preflightFindings(valid.profile, plan, facts),
      checks: [...preflightChecks],
    };
  }

  async #units(names: readonly string[], experiment: string): Promise<readonly PreflightUnit[]> {
    const { context, models } = this.#options;
    const { fleet, database } = context;
    const [calibrations, jobs, disks, signals, workers] = await Promise.all([
      fleet.read(names, '/unit_api/active_calibrations', { limits }),
      fleet.read(names, '/unit_api/jobs/running', { limits }),
      fleet.read(names, '/unit_api/system/disk_space', { limits }),
      fleet.read(names, '/unit_api/biomass_signals', { limits }),
      workersOfExperiment(database.read, experiment).execute(),
    ]);
    const bottles = [...this.#options.bottles()];
    const liveJobs = this.#options.jobs.all();
    return Promise.all(
      names.map(async (unit): Promise<PreflightUnit> => {
        const worker = workers.find(({ reactor_unit }) => reactor_unit === unit);
        const answer = calibrations[unit];
        return {
          reactor_unit: unit,
          unreachable: unreachableBecause(answer),
          calibrations: answer?.ok && hasShape(ActiveCalibrations, answer.value) ? answer.value : undefined,
          runningJobs: runningJobsOf(
            jobs[unit],
            liveJobs.filter((job) => job.reactor_unit === unit),
          ),
          freeDiskBytes: freeBytesOf(disks[unit]),
          culture: cultureOf(signals[unit]),
          clockOffsetMs: context.units.statusOf(unit)?.clock_offset_ms ?? null,
          bottlesMl: Object.fromEntries(
            bottles.flatMap(({ unit: of, bottle, leftMl }) =>
              of === unit && isPump(bottle) ? [[bottle, leftMl] as const] : [],
            ),
          ),
          model:
            worker?.model_name && worker.model_version
              ? await models.find(worker.model_name, worker.model_version)
              : undefined,
        };
      }),
    );
  }
}
