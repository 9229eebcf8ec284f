import {
  type Handlers,
  hasShape,
  hourMs,
  type Json,
  type ProfilePlan,
  type ProfileRehearsal,
  type profileAuthoringRoutes,
  SimulateProfile,
} from '@lcs/contract';
import {
  biomassSignalSetting,
  type CultureKnowledge,
  dosingAutomationJob,
  elapsedText,
  profilePlan,
  type RehearsalSummary,
  summariseDraws,
} from '@lcs/domain';
import type { TextReader } from '@lcs/node';
import type { IniView, TaskContext, TaskKind } from '@lcs/platform';
import type { LeaderContext } from '../../core/leader-context.ts';
import { acceptedTask } from '../../core/tasks.ts';
import type { ModelCatalog } from '../../models/model-catalog.ts';
import { expectSupported, expectValid } from '../expect-profile.ts';
import { unitsOfProfile } from '../units-of-profile.ts';
import type { RehearsalInput, Rehearse } from './rehearsal-input.ts';
import { rehearsalInput } from './rehearsal-request.ts';

export interface RehearsalsOptions {
  readonly context: Pick<LeaderContext, 'database' | 'leader' | 'tasks' | 'wire'>;
  readonly texts: TextReader;
  readonly models: Pick<ModelCatalog, 'find'>;
  /** The shared configuration. */
  readonly config: () => IniView;
  readonly rehearse: Rehearse;
}

const usualDraws = 20;

const shownCulture = (known: CultureKnowledge): ProfileRehearsal['culture'] => ({
  organism: known.organism,
  growth_rate: known.growthRate,
  growth_rate_spread: known.growthRateSpread,
  temperature: known.temperatureC,
  initial_od: known.initialOd,
  initial_od_spread: known.initialOdSpread,
  lag_h: known.lagHours,
  highest_od: known.highestOd,
  half_share: known.halfShare,
  pump_spread: known.pumpSpread,
});

function shownUnits(
  { units }: RehearsalSummary,
  input: RehearsalInput,
  hours: readonly number[],
): ProfileRehearsal['units'] {
  const calibrated = new Set(input.units.filter(({ hasCalibratedOd }) => hasCalibratedOd).map(({ name }) => name));
  return units.map(({ reactor_unit, series, conditions, actions }) => ({
    reactor_unit,
    is_od_calibrated: calibrated.has(reactor_unit),
    hours: [...hours],
    series: series.map(({ median, low, high, ...named }) => ({
      ...named,
      median: [...median],
      low: [...low],
      high: [...high],
    })),
    conditions: [...conditions],
    actions: actions.map(({ job, atHours, unit: _, ...action }) => ({ ...action, job_name: job, at_h: atHours })),
  }));
}

/** Whether dosing compares a target with the OD reading, which may be a raw signal. */
const usesOdReading = ({ units }: ProfilePlan): boolean =>
  units.some(({ actions }) =>
    actions.some(({ job_name, options, planned_options, biomass_signal: before }) => {
      const signal = planned_options?.[biomassSignalSetting] ?? options[biomassSignalSetting] ?? before;
      const isDensity = job_name === dosingAutomationJob.name && 'target_biomass' in options;
      return isDensity && signal !== 'normalized_od' && signal !== 'od_fused';
    }),
  );

/** Their OD cannot be compared with that of the culture, nor between units. */
const uncalibrated = ({ units }: RehearsalInput, plan: ProfilePlan): ProfileRehearsal['findings'] =>
  units
    .filter(({ hasCalibratedOd }) => !hasCalibratedOd)
    .map(({ name }) => ({
      severity: 'info',
      code: 'od_not_calibrated',
      reactor_unit: name,
      message: `Its OD is a raw signal, because it has no active OD calibration${usesOdReading(plan) ? ': use a normalised OD for targets' : ''}.`,
      at_h: null,
      share: 1,
    }));

const jsonOf = (value: object): Json => JSON.parse(JSON.stringify(value));

/** Rehearsals of profiles on simulated vials. */
export function createRehearsals(
  options: RehearsalsOptions,
): Pick<Handlers<typeof profileAuthoringRoutes>, 'simulateExperimentProfile'> {
  const { context, texts } = options;

  /** @throws ApiError profile_unreadable, profile_invalid, profile_not_supported, profile_experiment_unknown, rehearsal_invalid */
  const prepared = async (request: SimulateProfile) => {
    const valid = expectValid(await texts.read('profile', request.body));
    expectSupported(valid.profile.experiment_profile_name, valid);
    const appliesTo = await unitsOfProfile(context.database.read, request.experiment, valid.profile);
    const input = await rehearsalInput(options, request, valid, appliesTo);
    return { valid, input, appliesTo };
  };

  const run = async (request: Json, { signal, progress }: TaskContext): Promise<Json> => {
    if (!hasShape(SimulateProfile, request)) throw new TypeError('The stored request has another shape.');
    const begunMs = context.wire.monotonic();
    const { valid, input, appliesTo } = await prepared(request);
    const { culture, intervalS, groups, ...inputOfDraws } = input;
    const smallest = groups.reduce((least, group) => Math.min(least, group.length), Number.POSITIVE_INFINITY);
    const vials = request.draws ?? usualDraws;
    const draws = Math.ceil(vials / smallest);
    const what = `${draws * smallest} simulations of ${elapsedText(input.hours * hourMs)}`;
    progress(0, what);
    const { runs, hours, memoryMib } = await options.rehearse(inputOfDraws, {
      draws,
      signal,
      onProgress: (share) => progress(share, what),
    });
    const summary = summariseDraws(runs, groups);
    const rehearsal: ProfileRehearsal = {
      experiment_profile_name: valid.profile.experiment_profile_name,
      simulated_hours: input.hours,
      draws: draws * smallest,
      seed: input.seed,
      interval_s: intervalS,
      computed_in_s: (context.wire.monotonic() - begunMs) / 1000,
      memory_mib: memoryMib,
      can_finish: summary.canFinish,
      findings: [...summary.findings, ...uncalibrated(input, profilePlan(valid, appliesTo))],
      culture: shownCulture(culture),
      units: shownUnits(summary, input, hours),
    };
    return jsonOf(rehearsal);
  };

  // Each takes all processors.
  const kind: TaskKind = { kind: 'profiles.simulate', lock: 'profiles.simulate', run };
  context.tasks.register(kind);
  return {
    simulateExperimentProfile: async ({ body }) => {
      await prepared(body);
      const { taskId } = await context.tasks.submit(kind, jsonOf(body));
      return { status: 202, body: acceptedTask(context.leader, taskId) };
    },
  };
}
