import {
  ApiError,
  type CalibrationContent,
  type Model,
  type ProfilePlan,
  type RehearsedCulture,
  type SimulateProfile,
} from '@lcs/contract';
import {
  bioreactorSettings,
  bottleSettings,
  type CultureKnowledge,
  InvalidCalibrationFile,
  odReadingSettings,
  organismNames,
  type ProfileUnits,
  profilePlan,
  pumpDevices,
  readCalibration,
  settingOrDefault,
  usualCulture,
} from '@lcs/domain';
import type { IniView } from '@lcs/platform';
import type { LeaderContext } from '../../core/leader-context.ts';
import type { ModelCatalog } from '../../models/model-catalog.ts';
import type { ValidProfile } from '../expect-profile.ts';
import { alikeUnits, isIndividual } from './alike-units.ts';
import { fittedCulture } from './fitted-culture.ts';
import { rehearsalConfig } from './rehearsal-config.ts';
import type { RehearsalInput, RehearsalUnit } from './rehearsal-input.ts';

interface RequestParts {
  readonly context: Pick<LeaderContext, 'database'>;
  readonly models: Pick<ModelCatalog, 'find'>;
  /** The shared configuration. */
  readonly config: () => IniView;
}

/** Simulated time of a profile whose end depends on conditions, hours: at least so much, and so much longer than without waiting. */
const openEndedHours = 168;
const waitAllowance = 1.25;

/** Time after the last action, so that its effect is visible, hours. */
const afterwardsHours = 1;

/** The most units of one rehearsal: more would take longer than the run is worth. */
const mostUnits = 24;

/** The most simulated time, as in the request, hours. */
const mostHours = 2_160;

const usualBottleMl = 1_000;
const usualAmbientC = 22;

/** Where a unit has no model. */
const usualModel = { name: 'reactor_20ml', version: '1.5' };

const secondsByLength: readonly (readonly [hours: number, intervalS: number])[] = [
  [12, 0],
  [240, 60],
  [Number.POSITIVE_INFINITY, 120],
];

/** Seconds between OD readings: as configured in short rehearsals, more in long ones. */
function intervalOf({ interval_s }: SimulateProfile, hours: number, config: IniView): number {
  const configured = 1 / settingOrDefault(config, odReadingSettings.samplesPerSecond);
  const least = secondsByLength.find(([most]) => hours <= most)?.[1] ?? 0;
  return interval_s ?? Math.max(configured, least);
}

/** Until the last action; where waits decide about it they may take as long as usual. */
function usualHours({ length_s, units }: ProfilePlan): number {
  if (length_s !== null) return length_s / 3_600 + afterwardsHours;
  const last = units.reduce((latest, { actions }) => actions.reduce((at, { at_s }) => Math.max(at, at_s), latest), 0);
  return Math.max(openEndedHours, (last / 3_600) * waitAllowance);
}

/** @throws ApiError rehearsal_invalid */
async function cultureOf(
  { context }: RequestParts,
  { from_experiment: past, ...given }: RehearsedCulture,
): Promise<CultureKnowledge> {
  const usual = usualCulture(given.organism);
  if (usual === undefined)
    throw new ApiError('rehearsal_invalid', {
      cause: `There is no organism '${given.organism}'. Known are ${organismNames.join(', ')}.`,
    });
  const fitted = past === undefined ? {} : await fittedCulture(context, past);
  if (fitted === undefined)
    throw new ApiError('rehearsal_invalid', { cause: `The experiment ${past} has no growth rates to fit.` });
  return {
    organism: usual.organism,
    growthRate: given.growth_rate ?? fitted.growthRate ?? usual.growthRate,
    growthRateSpread: given.growth_rate_spread ?? fitted.growthRateSpread ?? usual.growthRateSpread,
    temperatureC: given.temperature ?? fitted.temperatureC ?? usual.temperatureC,
    initialOd: given.initial_od ?? fitted.initialOd ?? usual.initialOd,
    initialOdSpread: given.initial_od_spread ?? usual.initialOdSpread,
    lagHours: given.lag_h ?? usual.lagHours,
    highestOd: given.highest_od ?? fitted.highestOd ?? usual.highestOd,
    halfShare: given.half_share ?? usual.halfShare,
    pumpSpread: given.pump_spread ?? usual.pumpSpread,
  };
}

interface KnownUnit {
  readonly name: string;
  readonly isActive: boolean;
  readonly model: Model;
  readonly calibrations: Readonly<Record<string, CalibrationContent>>;
  readonly hasCalibratedOd: boolean;
}

const odDevice = 'od90';

/** An unreadable copy counts as none. */
function readable(data: string): CalibrationContent | undefined {
  try {
    return readCalibration(JSON.parse(data));
  } catch (error) {
    if (error instanceof InvalidCalibrationFile || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function knownUnit({ context, models }: RequestParts, name: string): Promise<KnownUnit> {
  const worker = await context.database.read
    .selectFrom('workers')
    .where('reactor_unit', '=', name)
    .select(['is_active', 'model_name', 'model_version'])
    .executeTakeFirst();
  const { model_name, model_version } = worker ?? {};
  const model =
    (await models.find(model_name ?? usualModel.name, model_version ?? usualModel.version)) ??
    (await models.find(usualModel.name, usualModel.version));
  if (model === undefined) throw new ApiError('rehearsal_invalid', { cause: `The model of ${name} is unknown.` });
  const rows = await context.database.read
    .selectFrom('calibrations')
    .where('reactor_unit', '=', name)
    .where('is_current', '=', 1)
    .where('device', 'in', [...pumpDevices, odDevice])
    .select(['device', 'data'])
    .execute();
  const active = rows.flatMap(({ device, data }) => {
    const content = readable(data);
    return content === undefined ? [] : [[device, content] as const];
  });
  return {
    name,
    isActive: worker === undefined || worker.is_active === 1,
    model,
    calibrations: Object.fromEntries(active.filter(([device]) => device !== odDevice)),
    hasCalibratedOd: active.some(([device]) => device === odDevice),
  };
}

/** @throws ApiError rehearsal_invalid */
function hoursOf(request: SimulateProfile, valid: ValidProfile, appliesTo: ProfileUnits): number {
  if (request.hours !== undefined) return request.hours;
  const hours = usualHours(profilePlan(valid, appliesTo));
  if (hours <= mostHours) return hours;
  const cause = `The profile takes ${Number(hours.toPrecision(4))} h; at most ${mostHours} h are simulated. Enter the hours to simulate.`;
  throw new ApiError('rehearsal_invalid', { cause });
}

/** Everything on which the rehearsal depends. @throws ApiError rehearsal_invalid */
export async function rehearsalInput(
  parts: RequestParts,
  request: SimulateProfile,
  valid: ValidProfile,
  appliesTo: ProfileUnits,
): Promise<
  RehearsalInput & {
    readonly culture: CultureKnowledge;
    readonly intervalS: number;
    readonly groups: ReturnType<typeof alikeUnits>;
  }
> {
  const names = [...new Set([...appliesTo.common, ...appliesTo.own])];
  if (names.length === 0)
    throw new ApiError('rehearsal_invalid', { cause: 'The profile applies to no active unit of this experiment.' });
  if (names.length > mostUnits)
    throw new ApiError('rehearsal_invalid', {
      cause: `It would have ${names.length} units; at most ${mostUnits} are rehearsed together.`,
    });
  const config = parts.config();
  const hours = hoursOf(request, valid, appliesTo);
  const culture = await cultureOf(parts, request.culture ?? {});
  const intervalS = intervalOf(request, hours, config);
  const configOfUnits = rehearsalConfig(config, intervalS);
  const bottleMl = settingOrDefault(config, bottleSettings.media);
  const units: RehearsalUnit[] = [];
  for (const name of names) {
    const { model, ...known } = await knownUnit(parts, name);
    const usualMl = Math.min(settingOrDefault(config, bioreactorSettings.initialVolume), model.reactor_capacity_ml);
    units.push({
      ...known,
      model,
      culture,
      config: configOfUnits,
      volumeMl: request.volume_ml ?? usualMl,
      bottleMl: request.bottle_ml ?? (bottleMl > 0 ? bottleMl : usualBottleMl),
      ambientC: request.ambient ?? usualAmbientC,
    });
  }
  const { common: commonUnits, own: ownUnits } = appliesTo;
  const groups = alikeUnits(valid.profile, { units, commonUnits, ownUnits });
  return {
    filename: `${valid.profile.experiment_profile_name}.yaml`,
    text: request.body,
    experiment: request.experiment ?? 'rehearsal',
    units,
    commonUnits,
    ownUnits,
    areIndependent: !isIndividual(valid.profile),
    typicalUnits: groups.flatMap(([first]) => first ?? []),
    hours,
    seed: request.seed ?? 1,
    culture,
    intervalS,
    groups,
  };
}
