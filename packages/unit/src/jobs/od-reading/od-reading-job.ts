import { ApiError } from '@lcs/contract';
import { odReadingJob } from '@lcs/domain';
import type { JobContext, JobDefinition } from '@lcs/platform';
import { asItIsNow, type CalibrationOf } from '../shared/calibration.ts';
import { onDilution } from '../shared/dose-subscriber.ts';
import { HeldOutput, whileAlive } from '../shared/job-hands.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { type Blank, readBlank } from './blank.ts';
import { type OdConfig, odConfig } from './od-config.ts';
import { OdReading } from './od-reading.ts';
import type { OdInForce } from './od-report.ts';
import { acceptLight } from './reference.ts';

const acceptLightWord = 'accept_light';

/** The calibrations in force for this run. @throws Error for one that is not of volts */
function calibrationsOf({ channels }: OdConfig, { calibrationOf }: UnitDevices): CalibrationOf {
  const devices = channels.map(({ angle }) => `od${angle}`);
  const inForce = asItIsNow(calibrationOf, devices);
  for (const device of devices) {
    const { name, y = 'Voltage' } = inForce(device) ?? {};
    if (y !== 'Voltage') throw new Error(`The calibration ${name} of ${device} is of ${y}, and must be of Voltage.`);
  }
  return inForce;
}

/** Beyond its peak a signal falls again, and nothing in it says on which side the culture is. */
function warnOfPeaks({ channels }: OdConfig, { calibrationOf }: OdInForce, { log }: Pick<JobContext, 'log'>): void {
  for (const device of new Set(channels.map(({ angle }) => `od${angle}`))) {
    const { name, turnsAt } = calibrationOf(device) ?? {};
    if (turnsAt === undefined) continue;
    const turns = `The calibration ${name} of ${device} turns at an OD of ${turnsAt.toPrecision(3)}`;
    log('WARNING', `${turns}: a culture beyond it looks like one below it. Keep it below, or use another angle.`);
  }
}

/** A blank is of signals as they come; with a calibration or an estimator it would be taken away twice. @throws Error */
function checkBlank(blank: Blank | undefined, { channels }: OdConfig, { calibrationOf, fusionOf }: OdInForce): void {
  if (blank === undefined) return;
  const found = [...channels.map(({ angle }) => calibrationOf(`od${angle}`)?.name), fusionOf()?.name];
  const name = found.find((known) => known !== undefined);
  if (name === undefined) return;
  const both = `This experiment has a blank, and ${name} is active: an OD can be blanked or calibrated, not both`;
  throw new Error(`${both}. Delete the blank (od_blank delete), or deactivate ${name}.`);
}

const uidOf = ({ experiment, experimentUid }: JobContext): string => experimentUid ?? experiment;

async function start(context: JobContext, devices: UnitDevices) {
  if (context.args[0] === acceptLightWord) {
    acceptLight(devices.memory, uidOf(context));
    context.log('INFO', 'The infrared LED is as bright as it should be at the next reading, whatever it gave before.');
    return { done: Promise.resolve() };
  }
  const config = odConfig(context);
  const calibrationOf = calibrationsOf(config, devices);
  const fusion = devices.fusionOf();
  const blank = readBlank(devices.memory, uidOf(context));
  const inForce = { calibrationOf, fusionOf: () => fusion, blank };
  checkBlank(blank, config, inForce);
  warnOfPeaks(config, inForce, context);
  // A still that is being taken has the light for some seconds.
  await whileAlive(context.signal, devices.infraredLight.free());
  const light = await HeldOutput.take(context, config.irOutput);
  const od = new OdReading(context, config, { ...devices, ...inForce }, light);
  onDilution(context, (dose) => od.dosed(dose));
  const holdNoMore = devices.infraredLight.hold(od);
  context.publish('interval', config.intervalS);
  if (config.intensity !== 'auto') context.publish('ir_led_intensity', config.intensity);
  const done = context.options.snapshot === true ? od.snapshot() : undefined;
  // The runtime looks at it once the job is ready; it may have failed by then.
  done?.catch(() => {});
  if (done === undefined) od.begin();
  return {
    ...(done === undefined ? {} : { done }),
    apply: (values: Parameters<OdReading['apply']>[0]) => od.apply(values),
    sleep: () => od.sleep(),
    wake: () => od.wake(),
    stop: () => {
      holdNoMore();
      return od.stop();
    },
  };
}

/** The job `od_reading`. */
export const odReading = (devices: UnitDevices): JobDefinition => ({
  name: odReadingJob.name,
  settings: odReadingJob.settings,
  options: odReadingJob.options,
  // Of all outputs only the infrared LED, which harms nobody.
  isActuating: false,
  stopGroup: 'leds',
  admit: ({ options }) => {
    if (options.fake_data !== true) return;
    const cause = 'Made-up readings come from a simulated board, not from this option.';
    throw new ApiError('job_options_invalid', { job: odReadingJob.name, cause });
  },
  refuseArgs: ([first, ...others]) =>
    first === acceptLightWord && others.length === 0 ? undefined : `It takes nothing, or ${acceptLightWord}.`,
  start: (context) => start(context, devices),
});
