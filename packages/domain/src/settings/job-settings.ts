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

/** The section of an automation, from its declaration. */
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
  enable_dodging_od: flag('0', 'Whether the job pauses during readings of the optical density.'),
  pre_delay_duration: seconds(range(0.25, 10), '1.5', 'How long before a reading the job pauses.'),
  post_delay_duration: seconds(range(0.25, 10), '0.25', 'How long after a reading the job stays paused.'),
};

const channels: JobSetting = {
  value: { type: 'label' },
  default: null,
  description: 'The device that is connected to this power output.',
};
const leds: JobSetting = {
  value: { type: 'label' },
  default: null,
  description: 'The LED that is connected to this output; one must be IR.',
};
const sensor: JobSetting = {
  value: { type: 'choice', choices: ['45', '90', '135', '180', 'REF'] },
  default: null,
  description: 'Angle between this photodiode and the infrared LED, or REF for the reference photodiode.',
};

/** The settings of jobs on units. */
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
      description: 'Intensity of the infrared LED, or auto: the job finds it at its start.',
    },
    pd_reference_ema: { value: range(0, 1), default: '0.75', description: 'Smoothing of the reference.' },
    local_ac_hz: {
      value: { type: 'choice', choices: ['50', '60', '50.0', '60.0'] },
      unit: 'Hz',
      default: '',
      description: 'Mains frequency, whose hum the job removes; empty: the job detects it.',
    },
    smoothing_penalizer: { value: range(0), default: '3.0', description: 'How much the fit of a reading is smoothed.' },
    turn_off_leds_during_reading: flag('1', 'Whether other LEDs are off during a reading.'),
    use_dark_offsets: flag('1', 'Whether the job subtracts the dark signal.'),
    duration_between_led_off_and_od_reading: seconds(range(0, 5), '0.125', 'Pause after other LEDs were switched off.'),
    ref_normalization: {
      value: { type: 'choice', choices: ['unity', 'classic'] },
      default: 'unity',
      description: 'unity: the first reference of an experiment is 1; classic: division by the reference voltage.',
    },
  }),
  ...inSection('growth_rate_calculating.config', {
    ekf_outlier_std_threshold: {
      value: { type: 'number', min: 2, excludesMin: true },
      default: '5.0',
      description: 'A reading with a larger deviation than this is an outlier, in standard deviations.',
    },
    samples_for_od_statistics: {
      value: { type: 'integer', min: 1, max: 1000 },
      unit: 'readings',
      default: '10',
      description: 'Number of readings for the normalisation.',
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
    use_rpm: flag('1', 'Whether the job controls the measured speed; otherwise it keeps the duty cycle.'),
    duration_between_updates_seconds: seconds(range(1, 600), '23', 'Time between two corrections of the speed.'),
    target_rpm_during_od_reading: rpm('0', 'Speed during readings of the optical density, with enable_dodging_od.'),
    target_rpm_outside_od_reading: rpm(null, 'Speed between readings, with enable_dodging_od; empty: the target.'),
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
      description: 'Extra waste volume after a dose, as a multiple of it: the end of the waste tube sets the level.',
    },
    max_subdose: { value: range(0.01, 10), unit: 'mL', default: '1.0', description: 'Largest part of a dose.' },
  }),
  ...inSection('dosing_automation.turbidostat', {
    biomass_signal: {
      value: { type: 'text' },
      default: 'auto',
      description:
        'The controlled signal: auto, normalized_od, od_fused, od, or a setting of another job as <job>/<setting>. (fused_od is the former name of od_fused.)',
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
        description: 'Volume of the medium bottle at the start of an experiment; 0: unknown and not monitored.',
      },
      alt_media_bottle_ml: {
        value: range(0),
        unit: 'mL',
        default: '0',
        description:
          'Volume of the alternative medium bottle at the start of an experiment; 0: unknown and not monitored.',
      },
      waste_bottle_ml: {
        value: range(0),
        unit: 'mL',
        default: '0',
        description: 'Free volume of the waste bottle at the start of an experiment; 0: unknown and not monitored.',
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
        description: 'Time between stills; 0: no scheduled stills.',
      },
      capture_backend: {
        value: { type: 'choice', choices: ['rpicam', 'v4l2'] },
        default: 'rpicam',
        description: 'The program that takes stills.',
      },
      camera_index: {
        value: { type: 'integer', min: 0 },
        default: '0',
        description: 'Number of the camera, if there are several.',
      },
      device_path: { value: { type: 'text' }, default: '/dev/video0', description: 'Device of a v4l2 camera.' },
      ir_led_intensity: { value: range(0, 100), unit: '%', default: '80', description: 'Light for a still.' },
      max_stills: {
        value: { type: 'integer', min: 3 },
        default: '500',
        description:
          'Maximum number of scheduled stills of an experiment; the unit then removes the stills closest in time.',
      },
      max_mb: {
        value: range(1),
        unit: 'MB',
        default: '2048',
        description: 'Maximum size of all stills; the unit then removes the stills closest in time.',
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
        description: 'Seed of its random numbers; empty: a random seed.',
      },
      organism: { value: { type: 'label' }, default: 'yeast', description: 'The simulated organism.' },
      initial_od: { value: range(0), unit: 'OD', default: '0.05', description: 'Optical density at the start.' },
      ambient_c: { value: number, unit: '°C', default: '22', description: 'Room temperature.' },
      noise_profile: { value: { type: 'label' }, default: 'typical', description: 'Noise of the simulated sensors.' },
      hat_version: { value: { type: 'text' }, default: '1.2', description: 'Version of the simulated board.' },
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
