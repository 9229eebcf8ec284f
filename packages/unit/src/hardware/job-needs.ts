import { ConfigValueError, dosingAutomations, readPumpScript } from '@lcs/domain';
import type { ReceivedStart } from '@lcs/node';
import type { IniView } from '@lcs/platform';
import { configuredPhotodiodes, pwmOutput } from '../jobs/shared/job-config.ts';
import { type HardwarePart, photodiodePart } from './hardware-part.ts';

type PwmLabel = Parameters<typeof pwmOutput>[1];

/** The output with this label, as a part; none where the configuration is unclear: the job itself reports that. */
function labelledPwm(config: IniView, ...labels: readonly PwmLabel[]): readonly HardwarePart[] {
  return labels.flatMap((label) => {
    try {
      const output = pwmOutput(config, label);
      const part = (['pwm1', 'pwm2', 'pwm3', 'pwm4', 'pwm5'] as const).find((known) => known === output);
      return part === undefined ? [] : [part];
    } catch (error) {
      if (error instanceof ConfigValueError) return [];
      throw error;
    }
  });
}

const photodiodes = (config: IniView): readonly HardwarePart[] =>
  configuredPhotodiodes(config).flatMap(({ channel }) => photodiodePart(channel) ?? []);

const optics = (config: IniView): readonly HardwarePart[] => ['led_driver', ...photodiodes(config)];
const leds = (): readonly HardwarePart[] => ['led_driver'];

const pumpsOf = (automation: string | undefined) =>
  dosingAutomations.find(({ name }) => name === automation)?.pumps ?? [];

type Needs = (config: IniView, automation: string | undefined, received: ReceivedStart) => readonly HardwarePart[];

const isPump = (name: unknown): name is 'media' | 'alt_media' | 'waste' =>
  name === 'media' || name === 'alt_media' || name === 'waste';

/** The pumps of a script; none where it is invalid: the job itself reports that. */
function scriptPumps(args: readonly string[]): readonly PwmLabel[] {
  const script = readPumpScript(args);
  if (typeof script === 'string') return [];
  return [...new Set(script.flatMap((step) => ('pump' in step ? [step.pump] : [])))];
}

/** `media_pump` → `media`. */
const pumpOfDevice = (device: unknown): unknown => (typeof device === 'string' ? device.replace(/_pump$/, '') : device);

const onePump = (config: IniView, pump: unknown) => (isPump(pump) ? labelledPwm(config, pump) : []);

const needsByJob: ReadonlyMap<string, Needs> = new Map<string, Needs>([
  ['stirring', (config) => [...labelledPwm(config, 'stirring'), 'stirrer_line']],
  ['od_reading', optics],
  ['od_blank', optics],
  ['led_intensity', leds],
  ['led_automation', (_config, automation) => (automation === 'silent' ? [] : leds())],
  [
    'temperature_automation',
    (config, automation) => ['heater_board', ...(automation === 'thermostat' ? labelledPwm(config, 'heating') : [])],
  ],
  ['add_media', (config) => labelledPwm(config, 'media')],
  ['add_alt_media', (config) => labelledPwm(config, 'alt_media')],
  ['remove_waste', (config) => labelledPwm(config, 'waste')],
  ['circulate_media', (config) => labelledPwm(config, 'media', 'waste')],
  ['circulate_alt_media', (config) => labelledPwm(config, 'alt_media', 'waste')],
  ['prime_pump', (config, _automation, { options }) => onePump(config, options.pump)],
  ['pumps', (config, _automation, { args }) => labelledPwm(config, ...scriptPumps(args))],
  ['dosing_automation', (config, automation) => labelledPwm(config, ...pumpsOf(automation))],
  ['pump_calibration', (config, _automation, { options }) => onePump(config, pumpOfDevice(options.device))],
  ['stirring_calibration', (config) => [...labelledPwm(config, 'stirring'), 'stirrer_line']],
  ['od_calibration', (config) => [...optics(config), ...labelledPwm(config, 'stirring'), 'stirrer_line']],
]);

const nothingReceived: ReceivedStart = { options: {}, args: [] };

/**
 * The parts that a job needs on this unit; jobs that are not listed need no part that can be probed. `received`: the options and
 * arguments of a start; without them, the parts that every start needs.
 */
export const hardwareNeeds = (
  job: string,
  automation: string | undefined,
  config: IniView,
  received: ReceivedStart = nothingReceived,
): readonly HardwarePart[] => needsByJob.get(job)?.(config, automation, received) ?? [];
