import { type Calibration, dayMs, type PlannedAction, type PreflightFinding } from '@lcs/contract';
import { ownValue } from '@lcs/contract/own-value';
import { dosingAutomationJob } from '../../automations/automation-jobs.ts';
import { dosingAutomations } from '../../automations/automations.ts';
import { turbidostat } from '../../automations/turbidostat.ts';
import { curveAt } from '../../curves/curve.ts';
import {
  areReadingsRare,
  type ExchangePace,
  exchangeSeconds,
  fastestDilution,
  reportedPace,
} from '../../dosing/dosing-capacity.ts';
import { odReadingJob } from '../../jobs/built-in-jobs.ts';
import { plannedValue } from '../planned-value.ts';
import type { Profile } from '../profile.ts';
import { fixedDose, optionOf, plannedNumber } from './planned-dosing.ts';
import type { CalibrationsOfUnit, PreflightUnit } from './preflight-facts.ts';

/** Tubes of pumps and optics change; an older calibration is worth a check. Chosen. */
const oldAfterDays = 90;
/** The fastest growth that a pump must keep up with, per hour: a doubling time of 35 min. Chosen. */
const fastestGrowthPerH = 1.2;
/** The settings of exchanges that units have unless somebody changes them, of which a unit reports nothing; pumps for waste are a little faster. */
const usualPace = { pauseS: 5, wasteMultiplier: 2, maxSubdoseMl: 1 } as const;
const turbidostatSettleS = turbidostat.settleS ?? 0;
const wasteAdvantage = 1.15;
const usualExchangeMl = 1;

interface Context {
  readonly profile: Profile;
  readonly nowMs: number;
}

const pumpsOfJobs: Readonly<Record<string, readonly string[]>> = {
  add_media: ['media'],
  add_alt_media: ['alt_media'],
  remove_waste: ['waste'],
  circulate_media: ['media', 'waste'],
  circulate_alt_media: ['alt_media', 'waste'],
};

/** The pumps that a start needs. */
function pumpsOf(action: PlannedAction, { profile }: Context): readonly string[] {
  if (action.action !== 'start') return [];
  if (action.job_name !== 'dosing_automation') return ownValue(pumpsOfJobs, action.job_name) ?? [];
  const automation = plannedValue(optionOf(action, 'automation_name'), profile.inputs);
  return dosingAutomations.find(({ name }) => name === automation)?.pumps ?? [];
}

/** mL per second; undefined: the curve has no positive slope. */
function flowOf({ curve_data_: curve }: Calibration): number | undefined {
  const flow = (curveAt(curve, 10) - curveAt(curve, 0)) / 10;
  return Number.isFinite(flow) && flow > 0 ? flow : undefined;
}

/** The calibrations that a biomass target in OD needs: those of the photodiodes. */
const opticalOnes = (calibrations: CalibrationsOfUnit): readonly Calibration[] =>
  Object.values(calibrations).filter(({ calibration_type: type }) => type === 'od' || type === 'od600');

type About = Pick<PreflightUnit, 'reactor_unit'>;
const warns = (code: string, { reactor_unit }: About, message: string, remediation: string): PreflightFinding => ({
  severity: 'warns',
  code,
  reactor_unit,
  message,
  remediation,
});

function* ageFindings(
  unit: About,
  device: string,
  calibration: Calibration,
  nowMs: number,
): Generator<PreflightFinding> {
  const days = Math.floor((nowMs - Date.parse(calibration.created_at)) / dayMs);
  if (days <= oldAfterDays) return;
  const message = `The active calibration of ${device} of ${unit.reactor_unit} is ${days} days old.`;
  yield warns(
    'calibration_old',
    unit,
    message,
    `Calibrate ${device} again, or check it with a known volume or density.`,
  );
}

/** A target in OD outside of what was measured at the calibration. */
function* targetFindings(
  unit: About,
  action: PlannedAction,
  calibrations: CalibrationsOfUnit,
  { profile: { inputs } }: Context,
): Generator<PreflightFinding> {
  if (action.job_name !== 'dosing_automation' || plannedValue(optionOf(action, 'biomass_signal'), inputs) !== 'od')
    return;
  const target = plannedNumber(optionOf(action, 'target_biomass'), inputs);
  if (target === undefined) return;
  const ranges = opticalOnes(calibrations).map(({ recorded_data: { x } }) => [Math.min(...x), Math.max(...x)] as const);
  if (ranges.length === 0) {
    const message = `Line ${action.line}: the target is an OD, and ${unit.reactor_unit} has no active OD calibration.`;
    yield warns('calibration_missing', unit, message, 'Calibrate OD, or use biomass_signal normalized_od.');
  } else if (!ranges.some(([low, high]) => target >= low && target <= high)) {
    const shown = ranges.map(([low, high]) => `${low} to ${high}`).join(', ');
    const message = `Line ${action.line}: the target OD ${target} is outside of the calibrated range of ${unit.reactor_unit} (${shown}).`;
    yield warns('calibration_range', unit, message, 'Choose a target in this range, or calibrate with more densities.');
  }
}

/** Seconds between two readings when an action is done: those of the start of od_reading before it, else what the unit reports. */
function readingEveryS(
  { culture }: Pick<PreflightUnit, 'culture'>,
  before: readonly PlannedAction[],
  { profile: { inputs } }: Context,
): number | undefined {
  const start = before.findLast(({ job_name, action }) => job_name === odReadingJob.name && action === 'start');
  const planned = start && plannedNumber(optionOf(start, 'interval'), inputs);
  return planned !== undefined && planned > 0 ? planned : culture?.reading_every_s;
}

/** Whether pumps can do what an automation asks for. */
function* capacityFindings(
  unit: Pick<PreflightUnit, 'reactor_unit' | 'model' | 'culture'>,
  action: PlannedAction,
  flowMlPerS: number,
  before: readonly PlannedAction[],
  context: Context,
): Generator<PreflightFinding> {
  if (action.job_name !== dosingAutomationJob.name) return;
  const { inputs } = context.profile;
  const automation = plannedValue(optionOf(action, 'automation_name'), inputs);
  const dose = fixedDose(automation, action.options, inputs);
  const remediation = 'Choose smaller doses or longer intervals, or calibrate the pump with a higher duty cycle.';
  const everyS = readingEveryS(unit, before, context);
  const pace: ExchangePace = {
    ...(reportedPace(unit.culture, turbidostatSettleS) ?? {
      ...usualPace,
      settleS: turbidostatSettleS,
      mediaMlPerS: flowMlPerS,
      wasteMlPerS: wasteAdvantage * flowMlPerS,
    }),
    readingEveryS: everyS,
  };
  const seconds =
    dose === undefined ? 0 : dose.hasWaste ? exchangeSeconds(dose.volumeMl, pace) : dose.volumeMl / pace.mediaMlPerS;
  if (dose !== undefined && seconds > 60 * dose.periodMin) {
    const message = `Line ${action.line}: the pumps need ${Math.round(seconds)} s for a dose every ${dose.periodMin} min.`;
    yield warns('pump_too_slow', unit, message, remediation);
  }
  const volumeMl =
    plannedNumber(optionOf(action, 'current_volume_ml'), inputs) ??
    unit.culture?.volume_ml ??
    unit.model?.reactor_max_fill_volume_ml;
  if (automation !== turbidostat.name || volumeMl === undefined || volumeMl <= 0) return;
  const exchangeMl = plannedNumber(optionOf(action, 'exchange_volume_ml'), inputs) ?? usualExchangeMl;
  const fastest = fastestDilution(exchangeMl, volumeMl, pace);
  if (fastest < Math.max(fastestGrowthPerH, unit.culture?.growth_rate ?? 0)) {
    const isRare = areReadingsRare(everyS);
    const readings = isRare ? ` with a reading every ${Math.round(everyS)} s` : '';
    const message = `Line ${action.line}: exchanges of ${exchangeMl} mL${readings} keep up with a growth rate of at most ${fastest.toPrecision(2)} per hour.`;
    yield warns(
      'pump_too_slow',
      unit,
      message,
      `Choose larger exchanges, ${isRare ? 'more frequent readings, ' : ''}or calibrate the pump with a higher duty cycle, if the culture grows faster.`,
    );
  }
}

/** Calibrations that are missing, old or too narrow, and pumps that are too slow. */
export function* calibrationFindings(
  unit: PreflightUnit,
  all: readonly PlannedAction[],
  context: Context,
): Generator<PreflightFinding> {
  // Iterations of a loop have the same options.
  const actions = all.filter(({ iteration }) => iteration === 0);
  const pumps = new Set(actions.flatMap((action) => pumpsOf(action, context)));
  const { calibrations } = unit;
  if (calibrations === undefined) {
    if (pumps.size === 0 || unit.unreachable !== undefined) return;
    const message = `${unit.reactor_unit} did not report its calibrations: pumps and targets were not checked.`;
    yield warns('calibrations_unknown', unit, message, 'Check the calibrations of the unit, then check again.');
    return;
  }
  for (const pump of pumps) {
    const device = `${pump}_pump`;
    const calibration = ownValue(calibrations, device);
    if (calibration !== undefined) yield* ageFindings(unit, device, calibration, context.nowMs);
    else
      yield warns(
        ...(['calibration_missing', unit, `${unit.reactor_unit} has no active calibration of ${device}.`] as const),
        `Calibrate ${device}, or activate a stored calibration.`,
      );
  }
  const media = ownValue(calibrations, 'media_pump');
  const flow = media && flowOf(media);
  for (const action of actions) {
    yield* targetFindings(unit, action, calibrations, context);
    if (flow === undefined || action.action !== 'start') continue;
    const before = actions.filter(({ at_s }) => at_s <= action.at_s);
    yield* capacityFindings(unit, action, flow, before, context);
  }
}
