import { ApiError } from '@lcs/contract';
import { odReadingJob, odReadingSettings, readSetting } from '@lcs/domain';
import type { JobContext, JobDefinition } from '@lcs/node';
import { asItIsNow, type CalibrationOf, expectQuantity } from '../shared/calibration.ts';
import { onDilution } from '../shared/dose-subscriber.ts';
import { HeldOutput, whileRunning } from '../shared/held-output.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { type Blank, readBlank } from './blank.ts';
import { type OdConfig, odConfig } from './od-config.ts';
import { OdReading } from './od-reading.ts';
import type { OdConversion } from './od-report.ts';
import { acceptLight } from './reference.ts';

const acceptLightOption = 'accept_light';

/** The calibrations of this run. @throws ApiError `calibration_unsuitable` */
function calibrationsOf(job: string, { channels }: OdConfig, { calibrationOf }: UnitDevices): CalibrationOf {
  const devices = channels.map(({ angle }) => `od${angle}`);
  const active = asItIsNow(calibrationOf, devices);
  for (const device of devices) expectQuantity(job, active, device, 'Voltage');
  return active;
}

/** Beyond its peak a signal falls again: the same signal belongs to two densities. */
function warnOfPeaks({ channels }: OdConfig, { calibrationOf }: OdConversion, { log }: Pick<JobContext, 'log'>): void {
  for (const device of new Set(channels.map(({ angle }) => `od${angle}`))) {
    const { name, turnsAt } = calibrationOf(device) ?? {};
    if (turnsAt === undefined) continue;
    const turns = `The calibration ${name} of ${device} turns at an OD of ${turnsAt.toPrecision(3)}`;
    log(
      'WARNING',
      `${turns}: beyond it the signal is the same as below it. Keep the culture below, or use another angle.`,
    );
  }
}

/** A calibrated signal contains its blank already. @throws ApiError `blank_and_calibration` */
function checkBlank(
  job: string,
  blank: Blank | undefined,
  { channels }: OdConfig,
  { calibrationOf, fusionOf }: OdConversion,
): void {
  if (blank === undefined) return;
  const found = [...channels.map(({ angle }) => calibrationOf(`od${angle}`)?.name), fusionOf()?.name];
  const calibration = found.find((known) => known !== undefined);
  if (calibration !== undefined) throw new ApiError('blank_and_calibration', { job, calibration });
}

const uidOf = ({ experiment, experimentUid }: JobContext): string => experimentUid ?? experiment;

async function start(context: JobContext, devices: UnitDevices) {
  if (context.args[0] === acceptLightOption) {
    acceptLight(devices.memory, uidOf(context));
    context.log('INFO', 'The brightness of the infrared LED at the next reading is accepted as correct.');
    return { done: Promise.resolve() };
  }
  const config = odConfig(context);
  const calibrationOf = calibrationsOf(context.jobName, config, devices);
  const fusion = devices.fusionOf();
  const blank = readBlank(devices.memory, uidOf(context));
  const conversion = { calibrationOf, fusionOf: () => fusion, blank };
  checkBlank(context.jobName, blank, config, conversion);
  warnOfPeaks(config, conversion, context);
  // A still that is being taken has the light for some seconds.
  await whileRunning(context.signal, devices.infraredLight.free());
  const light = await HeldOutput.take(context, config.irOutput);
  const od = new OdReading(context, config, { ...devices, ...conversion }, light);
  onDilution(context, (dose) => od.dosed(dose));
  const holdNoMore = devices.infraredLight.hold(od);
  const offerNoMore = devices.extraReadings.offer((request) => od.takeExtra(request));
  context.publish('interval', config.intervalS);
  if (config.intensity !== 'auto') context.publish('ir_led_intensity', config.intensity);
  await od.apply({ record_conversions: context.options.record_conversions ?? 0 });
  const done = context.options.snapshot === true ? od.snapshot() : undefined;
  if (done === undefined) await od.begin();
  return {
    ...(done === undefined ? {} : { done }),
    apply: (values: Parameters<OdReading['apply']>[0]) => od.apply(values),
    sleep: () => od.sleep(),
    wake: () => od.wake(),
    stop: () => {
      holdNoMore();
      offerNoMore();
      return od.stop();
    },
  };
}

/** The job `od_reading`. */
export const odReading = (devices: UnitDevices): JobDefinition => ({
  name: odReadingJob.name,
  settings: odReadingJob.settings,
  options: odReadingJob.options,
  optionDefaults: (config) => ({
    interval: 1 / readSetting(config, odReadingSettings.samplesPerSecond),
    ir_led_intensity: readSetting(config, odReadingSettings.irLedIntensity),
  }),
  usesJobs: odReadingJob.usesJobs ?? [],
  // Of all outputs only the infrared LED, which is harmless.
  isActuating: false,
  stopGroup: 'leds',
  validate: ({ options }) => {
    if (options.fake_data !== true) return;
    const cause = 'Made-up readings come from a simulated board, not from this option.';
    throw new ApiError('job_options_invalid', { job: odReadingJob.name, cause, option: 'fake_data' });
  },
  commands: [
    { word: acceptLightOption, help: 'Accepts the brightness of the infrared LED at the next reading as correct.' },
  ],
  argsFault: ([first, ...others]) =>
    first === acceptLightOption && others.length === 0 ? undefined : `It takes nothing, or ${acceptLightOption}.`,
  start: (context) => start(context, devices),
});
