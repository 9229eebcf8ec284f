import { ApiError, type JobWarning, type Json } from '@lcs/contract';
import {
  type DosingAutomation as Automation,
  automationConstants,
  bioreactorSettings,
  doseTooLarge,
  dosingAutomationJob,
  dosingAutomations,
  dosingSettings,
  joinedWarning,
  readSetting,
  settingOrDefault,
} from '@lcs/domain';
import type { Job, JobContext, JobDefinition, JobRequest, NodeNow } from '@lcs/node';
import { modelOf } from '../pumps/dose-request.ts';
import type { UnitPumps } from '../pumps/pumping.ts';
import { refusedStart } from '../pumps/refusals.ts';
import { automationSettings } from '../shared/automation-settings.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { type BiomassSignal, biomassSignal, publishBiomass, requestedSignal } from './biomass-signal.ts';
import { DosingAutomation, type DosingSetup } from './dosing-automation.ts';
import { KeptDosing } from './dosing-memory.ts';
import { exchangeConfig } from './exchange.ts';
import { readingNow } from './fresh-readings.ts';
import { predictDilution, predictExchange } from './predict-dilution.ts';

/** What dosing automations need of their unit. */
export type DosingDevices = Pick<
  UnitDevices,
  | 'extraReadings'
  | 'modelOf'
  | 'ownModel'
  | 'memory'
  | 'calibrationOf'
  | 'fusionOf'
  | 'pace'
  | 'recordEvent'
  | 'setVial'
  | 'showControl'
> & {
  readonly pumps: Pick<UnitPumps, 'of' | 'volumeMl'>;
};

type Request = Pick<JobContext, 'options' | 'config'>;

const knownAutomation = ({ options }: Request): Automation | undefined =>
  dosingAutomations.find(({ name }) => name === options.automation_name);

function automationOf(request: Request): Automation {
  const { options } = request;
  const found = knownAutomation(request);
  if (found === undefined) {
    const cause = `${String(options.automation_name)} must be the name of a dosing automation.`;
    throw new ApiError('job_options_invalid', { job: dosingAutomationJob.name, cause, option: 'automation_name' });
  }
  return found;
}

function signalOf(automation: Automation, request: Request, devices: DosingDevices): BiomassSignal | undefined {
  if (!automation.reads.includes('biomass')) return undefined;
  return biomassSignal(requestedSignal(automation, request), { config: request.config, ...devices });
}

/** The liquid in the vial as this start has it, mL. */
function volumeAtStart(
  { options, experiment }: Pick<JobRequest, 'options' | 'experiment'>,
  config: JobContext['config'],
  { pumps }: DosingDevices,
): number {
  const { current_volume_ml: requestedMl } = options;
  if (typeof requestedMl === 'number') return requestedMl;
  return experiment === undefined
    ? settingOrDefault(config, bioreactorSettings.initialVolume)
    : pumps.volumeMl(experiment);
}

/** The consequences of a start that a person must confirm; nothing is immediate where its first evaluation is skipped. */
function startWarning(start: JobRequest, node: NodeNow, devices: DosingDevices): JobWarning | undefined {
  const { config } = node;
  const request = { options: start.options, config };
  const automation = knownAutomation(request);
  // Automations of plugins declare neither a density nor a dose.
  if (automation === undefined) return undefined;
  const settings = automationSettings(dosingAutomationJob.name, automation, request);
  const volumeMl = volumeAtStart(start, config, devices);
  const immediate =
    request.options.skip_first_run === true
      ? undefined
      : predictDilution(automation, {
          settings,
          biomass: signalOf(automation, request, devices),
          read: ({ place }) => readingNow(node, place),
          volumeMl,
        });
  return joinedWarning(immediate, predictExchange(automation, { settings, volumeMl }, node));
}

/** @throws ApiError `job_options_invalid`, `model_unknown`, `dose_overflows` for a dose that the vial cannot take */
function validate(start: JobRequest, devices: DosingDevices): void {
  const request = { options: start.options, config: {} };
  const automation = knownAutomation(request);
  if (automation?.dose === undefined) return;
  const model = modelOf(start, devices);
  if (model === undefined) return;
  const vial = { volumeMl: volumeAtStart(start, {}, devices), stopLimitMl: model.reactor_max_fill_volume_ml };
  const tooLarge = doseTooLarge(automation, automationSettings(dosingAutomationJob.name, automation, request), vial);
  if (tooLarge === undefined) return;
  const { overflows, doseMl, setting, cause } = tooLarge;
  if (overflows)
    throw new ApiError('dose_overflows', { volumeMl: doseMl, currentMl: vial.volumeMl, limitMl: vial.stopLimitMl });
  throw new ApiError('job_options_invalid', { job: dosingAutomationJob.name, cause, option: setting });
}

/** @throws ConfigValueError, SettingRefused, Error for options that are missing */
function setupOf(automation: Automation, context: JobContext, devices: DosingDevices): DosingSetup {
  const { config } = context;
  const constants = Object.entries(automationConstants(automation)).map(([name, setting]) => [
    name,
    readSetting(config, setting),
  ]);
  return {
    automation,
    settings: automationSettings(dosingAutomationJob.name, automation, context),
    constants: Object.fromEntries(constants),
    exchange: exchangeConfig(config, readSetting),
    pausesWithoutEffect: readSetting(config, dosingSettings.onMissingEffect) === 'pause',
    pausesOnUnverifiedWaste: readSetting(config, dosingSettings.onUnverifiedWaste) === 'pause',
    evaporationMlPerHour: readSetting(config, bioreactorSettings.evaporation),
    skipsFirstRun: context.options.skip_first_run === true,
    isResumed: context.jobSource === 'resume',
    biomass: signalOf(automation, context, devices),
  };
}

const vialOptions = ['alt_media_fraction', 'current_volume_ml', 'efflux_tube_volume_ml'] as const;

/** The vial values in the options of a start are effective immediately; after a restart they are outdated. */
async function setVial({ options, experiment, jobSource }: JobContext, devices: DosingDevices): Promise<void> {
  if (jobSource === 'resume') return;
  const values = vialOptions.flatMap((name) => {
    const value = options[name];
    return typeof value === 'number' ? [[name, value] as const] : [];
  });
  if (values.length > 0) await devices.setVial(experiment, Object.fromEntries(values));
}

function logAtStart({ topics, log }: JobContext, { trigger, warning }: Automation): void {
  if (warning !== undefined) log('WARNING', warning);
  if (trigger !== 'never' && topics.states.latest('stirring')?.state !== 'ready')
    log('WARNING', 'Stirring is off: added liquid does not mix with the culture.');
}

async function start(context: JobContext, devices: DosingDevices): Promise<Job> {
  const automation = automationOf(context);
  const pumps = devices.pumps.of(context);
  const refused = automation.pumps.length === 0 ? undefined : pumps.check(automation.pumps);
  if (refused !== undefined) throw refusedStart(context.jobName, refused);
  const setup = setupOf(automation, context, devices);
  await setVial(context, devices);
  const kept = new KeptDosing(devices.memory, context, automation.name);
  const dosing = new DosingAutomation(context, setup, {
    pumps,
    kept,
    volumeCheckMs: devices.pace.volumeCheckMs,
    showControl: devices.showControl,
    recordEvent: devices.recordEvent,
    extraReadings: devices.extraReadings,
  });
  logAtStart(context, automation);
  if (setup.biomass !== undefined) publishBiomass(context, setup.biomass);
  dosing.begin();
  const newSignal = ({ biomass_signal: requested }: Readonly<Record<string, Json>>): BiomassSignal | undefined =>
    typeof requested === 'string' ? biomassSignal(requested, { config: context.config, ...devices }) : undefined;
  return {
    apply: (values) => dosing.apply(values, newSignal(values)),
    warningOf: (values) => dosing.warningOf(values, newSignal(values)),
    sleep: () => dosing.sleep(),
    wake: () => dosing.wake(),
    stop: () => dosing.stop(),
  };
}

/** The job `dosing_automation`. */
export const dosingAutomation = (devices: DosingDevices): JobDefinition => ({
  name: dosingAutomationJob.name,
  help: dosingAutomationJob.help,
  settings: dosingAutomationJob.settings,
  options: dosingAutomationJob.options,
  variants: dosingAutomationJob.variants ?? {},
  isActuating: true,
  stopGroup: 'pumps',
  validate: (request) => validate(request, devices),
  warningOf: (request, node) => startWarning(request, node, devices),
  start: (context) => start(context, devices),
});
