import { ApiError, type JobWarning, type Json } from '@lcs/contract';
import {
  type DosingAutomation as Automation,
  automationConstants,
  bioreactorSettings,
  dosingAutomationJob,
  dosingAutomations,
  dosingSettings,
  readSetting,
} from '@lcs/domain';
import type { Job, JobContext, JobDefinition, NodeNow } from '@lcs/node';
import type { UnitPumps } from '../pumps/pumping.ts';
import { refusedStart } from '../pumps/refusals.ts';
import { automationSettings } from '../shared/automation-settings.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { type BiomassSignal, biomassSignal, publishBiomass, requestedSignal } from './biomass-signal.ts';
import { DosingAutomation, type DosingSetup } from './dosing-automation.ts';
import { KeptDosing } from './dosing-memory.ts';
import { exchangeConfig } from './exchange.ts';
import { readingNow } from './fresh-readings.ts';
import { predictDilution } from './predict-dilution.ts';

/** What dosing automations need of their unit. */
export type DosingDevices = Pick<
  UnitDevices,
  'memory' | 'calibrationOf' | 'fusionOf' | 'pace' | 'recordEvent' | 'setVial' | 'showControl'
> & {
  readonly pumps: Pick<UnitPumps, 'of'>;
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

/** The immediate consequences of a start; none where its first evaluation is skipped. */
function startWarning(request: Request, node: NodeNow, devices: DosingDevices): JobWarning | undefined {
  const automation = knownAutomation(request);
  // Automations of plugins declare no density.
  if (automation === undefined || request.options.skip_first_run === true) return undefined;
  return predictDilution(automation, {
    settings: automationSettings(dosingAutomationJob.name, automation, request),
    biomass: signalOf(automation, request, devices),
    read: ({ place }) => readingNow(node, place),
  });
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
  warningOf: ({ options }, node) => startWarning({ options, config: node.config }, node, devices),
  start: (context) => start(context, devices),
});
