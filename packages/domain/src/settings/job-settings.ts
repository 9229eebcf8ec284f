import type { AutomationDeclaration } from '../automations/automation.ts';
import { pidMorbidostat } from '../automations/pid-morbidostat.ts';
import { anyJobSection, type SettingDeclaration, type SettingValue } from './setting-declaration.ts';

interface JobSetting {
  readonly value: SettingValue;
  readonly unit?: string;
  readonly default: string | null;
  readonly description: string;
}

const boolean = { type: 'boolean' } as const;
const number = { type: 'number' } as const;
const range = (min: number, max?: number) => ({ type: 'number', min, ...(max !== undefined && { max }) }) as const;
const rpm = (preset: string | null, description: string): JobSetting => ({
  value: range(0, 1500),
  unit: 'RPM',
  default: preset,
  description,
});
const seconds = (value: SettingValue, preset: string, description: string): JobSetting => ({
  value,
  unit: 's',
  default: preset,
  description,
});
const gain = (preset: string, description: string): JobSetting => ({ value: number, default: preset, description });
const flag = (preset: string, description: string): JobSetting => ({ value: boolean, default: preset, description });

const inSection = (
  section: string,
  settings: Readonly<Record<string, JobSetting>>,
  needsRestart: SettingDeclaration['needsRestart'] = 'job',
): readonly SettingDeclaration[] =>
  Object.entries(settings).map(([key, setting]) => ({ section, key, needsRestart, ...setting }));

/** The section of an automation, as its own file declares it. */
const constantsOf = ({ constants = {} }: AutomationDeclaration): Readonly<Record<string, JobSetting>> =>
  Object.fromEntries(
    Object.entries(constants).map(([key, { default: preset, min, unit, description }]) => [
      key,
      {
        value: min === undefined ? number : range(min),
        ...(unit === undefined ? {} : { unit }),
        default: String(preset),
        description,
      },
    ]),
  );

const opticalQuietPeriod = {
  enable_dodging_od: flag('0', 'Whether the job rests while the optical density is read.'),
  pre_delay_duration: seconds(range(0.25, 10), '1.5', 'How long before a reading it rests.'),
  post_delay_duration: seconds(range(0.25, 10), '0.25', 'How long after a reading it rests.'),
};

const channels: JobSetting = {
  value: { type: 'label' },
  default: null,
  description: 'What is connected to this power output.',
};
const leds: JobSetting = {
  value: { type: 'label' },
  default: null,
  description: 'What is connected to this LED output; one must be IR.',
};
const sensor: JobSetting = {
  value: { type: 'choice', choices: ['45', '90', '135', '180', 'REF'] },
  default: null,
  description: 'Angle of this light sensor to the IR light, or REF for the one that watches the light.',
};

/** What jobs of units read. */
export const jobSettings: readonly SettingDeclaration[] = [
  ...inSection('PWM', { '1': channels, '2': channels, '3': channels, '4': channels, '5': channels }),
  ...inSection('leds', { A: leds, B: leds, C: leds, D: leds }),
  ...inSection('od_config.photodiode_channel', { '1': sensor, '2': sensor, '3': sensor, '4': sensor }),
  ...inSection('od_reading.config', {
    samples_per_second: { value: range(0.001, 10), unit: '1/s', default: '0.2', description: 'Readings per second.' },
    ir_led_intensity: {
      value: { type: 'number', min: 0, max: 100, words: ['auto'] },
      unit: '%',
      default: '80',
      description: 'Intensity of the IR light, or auto: found at the start.',
    },
    pd_reference_ema: { value: range(0, 1), default: '0.75', description: 'Smoothing of the reference.' },
    local_ac_hz: {
      value: { type: 'choice', choices: ['50', '60', '50.0', '60.0'] },
      unit: 'Hz',
      default: '',
      description: 'Frequency of the mains, whose hum is removed; empty: it is found out.',
    },
    smoothing_penalizer: { value: range(0), default: '3.0', description: 'How much the fit of a reading is smoothed.' },
    turn_off_leds_during_reading: flag('1', 'Whether other LEDs are off while it is read.'),
    use_dark_offsets: flag('1', 'Whether the signal in the dark is subtracted.'),
    duration_between_led_off_and_od_reading: seconds(range(0, 5), '0.125', 'Pause after other LEDs were switched off.'),
    ref_normalization: {
      value: { type: 'choice', choices: ['unity', 'classic'] },
      default: 'unity',
      description: 'unity: the first reference of an experiment counts as 1.',
    },
  }),
  ...inSection('growth_rate_calculating.config', {
    ekf_outlier_std_threshold: {
      value: { type: 'number', min: 2, excludesMin: true },
      default: '5.0',
      description: 'From how many standard deviations on a reading is an outlier.',
    },
    samples_for_od_statistics: {
      value: { type: 'integer', min: 1, max: 1000 },
      unit: 'readings',
      default: '10',
      description: 'Readings that the normalisation is made from.',
    },
  }),
  ...inSection('stirring.config', {
    initial_target_rpm: rpm('500', 'Speed at the start.'),
    initial_duty_cycle: {
      value: range(0, 100),
      unit: '%',
      default: '30',
      description: 'Power until the speed is measured.',
    },
    pwm_hz: { value: range(1, 10_000), unit: 'Hz', default: '200', description: 'Frequency of the power output.' },
    use_rpm: flag('1', 'Whether the speed is measured and held; otherwise the duty cycle is.'),
    duration_between_updates_seconds: seconds(range(1, 600), '23', 'Time between two corrections of the speed.'),
    target_rpm_during_od_reading: rpm('0', 'Speed while the optical density is read, when it dodges.'),
    target_rpm_outside_od_reading: rpm(null, 'Speed between readings, when it dodges; empty: the target.'),
    ...opticalQuietPeriod,
  }),
  ...inSection('stirring.pid', {
    Kp: gain('0.02', 'Proportional gain of the speed controller.'),
    Ki: gain('0', 'Integral gain of the speed controller.'),
    Kd: gain('0', 'Derivative gain of the speed controller.'),
  }),
  ...inSection('temperature_automation.thermostat', {
    Kp: gain('2.6', 'Proportional gain of the thermostat.'),
    Ki: gain('0', 'Integral gain of the thermostat.'),
    Kd: gain('7', 'Derivative gain of the thermostat.'),
  }),
  ...inSection('dosing_automation.config', {
    pause_between_subdoses_seconds: seconds(range(0, 600), '5', 'Pause between parts of a dose.'),
    waste_removal_multiplier: {
      value: range(1, 10),
      default: '2',
      description: 'After the waste of a dose, so many times as much again: the end of the waste tube sets the level.',
    },
    max_subdose: { value: range(0.01, 10), unit: 'mL', default: '1.0', description: 'Largest part of a dose.' },
  }),
  ...inSection('dosing_automation.turbidostat', {
    biomass_signal: {
      value: { type: 'text' },
      default: 'auto',
      description:
        'What is held constant: auto, normalized_od, od_fused, od, or a setting of another job as <job>/<setting>. (fused_od is an older word for od_fused.)',
    },
  }),
  ...inSection('dosing_automation.pid_morbidostat', constantsOf(pidMorbidostat)),
  ...inSection(
    'bioreactor',
    {
      initial_volume_ml: {
        value: range(0),
        unit: 'mL',
        default: '15',
        description: 'Volume of liquid when an experiment begins.',
      },
      efflux_tube_volume_ml: {
        value: range(0),
        unit: 'mL',
        default: '15',
        description: 'Volume that the waste pump leaves.',
      },
      initial_alt_media_fraction: {
        value: range(0, 1),
        default: '0',
        description: 'Fraction of the liquid that is alternative media.',
      },
      initial_cumulative_media_added_ml: {
        value: range(0),
        unit: 'mL',
        default: '0',
        description: 'Media added before an experiment begins.',
      },
      initial_cumulative_alt_media_added_ml: {
        value: range(0),
        unit: 'mL',
        default: '0',
        description: 'Alternative media added before an experiment begins.',
      },
      initial_cumulative_waste_removed_ml: {
        value: range(0),
        unit: 'mL',
        default: '0',
        description: 'Waste removed before an experiment begins.',
      },
      media_bottle_ml: {
        value: range(0),
        unit: 'mL',
        default: '0',
        description: 'Medium in its bottle when an experiment begins; 0: not known, and not watched.',
      },
      alt_media_bottle_ml: {
        value: range(0),
        unit: 'mL',
        default: '0',
        description: 'Alternative medium in its bottle when an experiment begins; 0: not known, and not watched.',
      },
      waste_bottle_ml: {
        value: range(0),
        unit: 'mL',
        default: '0',
        description: 'Room in the bottle for waste when an experiment begins; 0: not known, and not watched.',
      },
    },
    'no',
  ),
  ...inSection(
    'camera',
    {
      enabled: flag('0', 'Whether the unit has a camera.'),
      keep_camera_active: flag('0', 'Whether the camera stays on between stills.'),
      snapshot_interval_minutes: {
        value: { type: 'integer', min: 0 },
        unit: 'min',
        default: '5',
        description: 'Time between stills; 0: none are taken by themselves.',
      },
      capture_backend: {
        value: { type: 'choice', choices: ['rpicam', 'v4l2'] },
        default: 'rpicam',
        description: 'How stills are taken.',
      },
      camera_index: { value: { type: 'integer', min: 0 }, default: '0', description: 'Which of several cameras.' },
      device_path: { value: { type: 'text' }, default: '/dev/video0', description: 'Device of a v4l2 camera.' },
      ir_led_intensity: { value: range(0, 100), unit: '%', default: '80', description: 'Light for a still.' },
      max_stills: {
        value: { type: 'integer', min: 3 },
        default: '500',
        description: 'Of so many scheduled stills of an experiment the most crowded are removed.',
      },
      max_mb: {
        value: range(1),
        unit: 'MB',
        default: '2048',
        description: 'The most crowded stills are removed when all together take more than this.',
      },
    },
    'no',
  ),
  ...inSection(
    'simulator',
    {
      enabled: flag('0', 'Whether the board is simulated.'),
      seed: {
        value: { type: 'integer', min: 0 },
        default: null,
        description: 'Beginning of its chance; empty: one is made.',
      },
      organism: { value: { type: 'label' }, default: 'yeast', description: 'What grows.' },
      initial_od: { value: range(0), unit: 'OD', default: '0.05', description: 'Optical density at the beginning.' },
      ambient_c: { value: number, unit: '°C', default: '22', description: 'Temperature of the room.' },
      noise_profile: { value: { type: 'label' }, default: 'typical', description: 'How noisy its sensors are.' },
      hat_version: { value: { type: 'text' }, default: '1.2', description: 'Version of the board that is simulated.' },
      reservoir_ml: { value: range(0), unit: 'mL', default: '1000', description: 'Volume of the media bottles.' },
      scenario: { value: { type: 'text' }, default: null, description: 'What goes wrong.' },
    },
    'node',
  ),
  ...inSection(
    'simulator',
    { speed: { value: range(1, 1000), default: '1', description: 'How many times faster the culture grows.' } },
    'no',
  ),
  ...inSection(anyJobSection, opticalQuietPeriod),
];

/** Sections in which no two keys may say the same. */
export const distinctValueSections: readonly string[] = ['PWM', 'leds'];
/** Values that only one key of a section may have. */
export const uniqueValues: Readonly<Record<string, readonly string[]>> = { 'od_config.photodiode_channel': ['REF'] };
