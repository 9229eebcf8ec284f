import type { AutomationDeclaration } from '../automations/automation.ts';
import { biomassSignalSetting } from '../automations/biomass.ts';
import { pidMorbidostat } from '../automations/pid-morbidostat.ts';
import { turbidostat } from '../automations/turbidostat.ts';
import { defaultGrowthRateParameters } from '../growth-rate/growth-rate-parameters.ts';
import { defaultSpeedGains } from '../stirring/speed-controller.ts';
import { defaultThermostatGains } from '../temperature/thermostat.ts';
import { anyJobSection, inSection, type SettingDeclaration } from './setting-declaration.ts';
import { boolean, choice, integer, label, number, numberOr, text } from './setting-type.ts';

const atLeast0 = number({ min: 0 });
const percent = number({ min: 0, max: 100 });
const share = number({ min: 0, max: 1 });
const rpm = number({ min: 0, max: 1500 });
const shortDelay = number({ min: 0.25, max: 10 });

const pwm = inSection('PWM', 'job');
const pwmLabel = (channel: string, defaultLabel: string) =>
  pwm.optional(channel, label, 'The device that is connected to this power output.', { inFile: defaultLabel });
/** Labels of the power outputs; the device names are those that jobs look for. */
export const pwmSettings = {
  stirring: pwmLabel('1', 'stirring'),
  media: pwmLabel('2', 'media'),
  alt_media: pwmLabel('3', 'alt_media'),
  waste: pwmLabel('4', 'waste'),
  heating: pwmLabel('5', 'heating'),
};

const leds = inSection('leds', 'job');
const ledLabel = (channel: string, defaultLabel: string) =>
  leds.optional(channel, label, 'The LED that is connected to this output; one must be IR.', { inFile: defaultLabel });
const ledSettings = { A: ledLabel('A', 'IR'), B: ledLabel('B', ''), C: ledLabel('C', ''), D: ledLabel('D', '') };

const photodiodes = inSection('od_config.photodiode_channel', 'job');
export const photodiodeAngle = choice(['45', '90', '135', '180', 'REF']);
const photodiodeSetting = (channel: string, defaultAngle: string) =>
  photodiodes.optional(
    channel,
    photodiodeAngle,
    'Angle between this photodiode and the infrared LED (45, 90, 135 or 180), or REF for the reference photodiode.',
    { inFile: defaultAngle },
  );
export const photodiodeSettings = {
  1: photodiodeSetting('1', 'REF'),
  2: photodiodeSetting('2', '90'),
  3: photodiodeSetting('3', ''),
  4: photodiodeSetting('4', ''),
};

const od = inSection('od_reading.config', 'job');
export const odReadingSettings = {
  samplesPerSecond: od.key('samples_per_second', number({ min: 0.001, max: 10 }), '0.2', 'Readings per second.', {
    unit: '1/s',
    inFile: true,
  }),
  irLedIntensity: od.key(
    'ir_led_intensity',
    numberOr({ min: 0, max: 100 }, ['auto']),
    '80',
    'Intensity of the infrared LED, or auto: the job finds it at its start.',
    { unit: '%', inFile: true },
  ),
  referenceSmoothing: od.key('pd_reference_ema', share, '0.75', 'Smoothing of the reference.', { inFile: true }),
  mainsFrequency: od.optional(
    'local_ac_hz',
    choice(['50', '60', '50.0', '60.0']),
    'Mains frequency, whose hum the job removes; empty: the job detects it.',
    { unit: 'Hz', default: '' },
  ),
  smoothingPenalizer: od.key(
    'smoothing_penalizer',
    atLeast0,
    '0',
    'Smoothing of the recorded OD: weight of the one before it, times the seconds between readings; 0: none. The raw OD and the growth rate are never smoothed by it.',
    { inFile: true },
  ),
  turnsOffOtherLeds: od.key(
    'turn_off_leds_during_reading',
    boolean,
    '1',
    'Whether other LEDs are off during a reading.',
    {
      inFile: true,
    },
  ),
  usesDarkOffsets: od.key('use_dark_offsets', boolean, '1', 'Whether the job subtracts the dark signal.', {
    inFile: true,
  }),
  settleTime: od.key(
    'duration_between_led_off_and_od_reading',
    number({ min: 0, max: 5 }),
    '0.125',
    'Pause after other LEDs were switched off.',
    { unit: 's', inFile: true },
  ),
  normalization: od.key(
    'ref_normalization',
    choice(['unity', 'classic']),
    'unity',
    'unity: the first reference of an experiment is 1; classic: division by the reference voltage.',
    { inFile: true },
  ),
};

const growth = inSection('growth_rate_calculating.config', 'job');
export const growthRateSettings = {
  outlierDeviations: growth.key(
    'ekf_outlier_std_threshold',
    number({ min: 2, excludesMin: true }),
    defaultGrowthRateParameters.outlierDeviations.toFixed(1),
    'A reading with a larger deviation than this is an outlier, in standard deviations.',
    { inFile: true },
  ),
  warmUpReadings: growth.key(
    'samples_for_od_statistics',
    integer({ min: 1, max: 1000 }),
    String(defaultGrowthRateParameters.warmUpReadings),
    'Number of readings for the normalisation.',
    { unit: 'readings', inFile: true },
  ),
};

/** Pauses of a job around readings of the optical density. */
const opticalQuietPeriod = (section: string, options: { readonly inFile?: true } = {}) => {
  const job = inSection(section, 'job');
  return {
    isQuietDuringOd: job.key(
      'enable_dodging_od',
      boolean,
      '0',
      'Whether the job pauses during readings of the optical density.',
      options,
    ),
    preDelay: job.key('pre_delay_duration', shortDelay, '1.5', 'How long before a reading the job pauses.', {
      unit: 's',
      ...options,
    }),
    postDelay: job.key('post_delay_duration', shortDelay, '0.25', 'How long after a reading the job stays paused.', {
      unit: 's',
      ...options,
    }),
  };
};

const stirring = inSection('stirring.config', 'job');
export const stirringSettings = {
  initialTargetRpm: stirring.key('initial_target_rpm', rpm, '500', 'Speed at the start.', {
    unit: 'RPM',
    inFile: true,
  }),
  initialDuty: stirring.key('initial_duty_cycle', percent, '30', 'Power until the speed is measured.', {
    unit: '%',
    inFile: true,
  }),
  pwmFrequency: stirring.key('pwm_hz', number({ min: 1, max: 10_000 }), '200', 'Frequency of the power output.', {
    unit: 'Hz',
    inFile: true,
    isUnused: true,
  }),
  usesRpm: stirring.key(
    'use_rpm',
    boolean,
    '1',
    'Whether the job controls the measured speed; otherwise it keeps the duty cycle.',
    { inFile: true },
  ),
  updateInterval: stirring.key(
    'duration_between_updates_seconds',
    number({ min: 1, max: 600 }),
    '23',
    'Time between two corrections of the speed.',
    { unit: 's', inFile: true },
  ),
  rpmDuringOd: stirring.key(
    'target_rpm_during_od_reading',
    rpm,
    '0',
    'Speed during readings of the optical density, with enable_dodging_od.',
    { unit: 'RPM', inFile: true },
  ),
  rpmOutsideOd: stirring.optional(
    'target_rpm_outside_od_reading',
    rpm,
    'Speed between readings, with enable_dodging_od; empty: the target.',
    { unit: 'RPM', inFile: '500' },
  ),
  ...opticalQuietPeriod('stirring.config', { inFile: true }),
};

interface Gains {
  readonly proportional: number;
  readonly integral: number;
  readonly derivative: number;
}

function gainSettings(section: string, controller: string, gains: Gains) {
  const pid = inSection(section, 'job');
  const gain = (key: string, name: 'proportional' | 'integral' | 'derivative') => {
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    return pid.key(key, number(), String(gains[name]), `${title} gain of the ${controller}.`, { inFile: true });
  };
  return {
    proportional: gain('Kp', 'proportional'),
    integral: gain('Ki', 'integral'),
    derivative: gain('Kd', 'derivative'),
  };
}

export const stirringGains = gainSettings('stirring.pid', 'speed controller', defaultSpeedGains);
export const thermostatGains = gainSettings('temperature_automation.thermostat', 'thermostat', defaultThermostatGains);

const dosing = inSection('dosing_automation.config', 'job');
export const dosingSettings = {
  pauseBetweenSubdoses: dosing.key(
    'pause_between_subdoses_seconds',
    number({ min: 0, max: 600 }),
    '5',
    'Pause between parts of a dose.',
    { unit: 's', inFile: true },
  ),
  wasteMultiplier: dosing.key(
    'waste_removal_multiplier',
    number({ min: 1, max: 10 }),
    '2',
    'Extra waste volume after a dose, as a multiple of it: the end of the waste tube sets the level.',
    { inFile: true },
  ),
  onMissingEffect: dosing.key(
    'on_missing_effect',
    choice(['pause', 'warn']),
    'pause',
    'What an automation does when the optical density proves that doses do not arrive or waste does not leave: it pauses until a person resumes it, or only warns.',
    { inFile: true },
  ),
  onUnverifiedWaste: dosing.key(
    'on_unverified_waste',
    choice(['pause', 'warn']),
    'warn',
    'What an automation does when the noise of the optical density cannot tell whether waste leaves the vial, and the vial would be full if it did not.',
    { inFile: true },
  ),
  maxSubdose: dosing.key('max_subdose', number({ min: 0.01, max: 10 }), '1.0', 'Largest part of a dose.', {
    unit: 'mL',
    inFile: true,
  }),
};

type NamedAutomation = Pick<AutomationDeclaration, 'name' | 'constants' | 'texts'>;

/** The numbers in the section of a dosing automation, by key. */
export const automationConstants = ({
  name,
  constants = {},
}: NamedAutomation): Readonly<Record<string, SettingDeclaration<number>>> =>
  Object.fromEntries(
    Object.entries(constants).map(([key, { default: preset, min, unit, description }]) => [
      key,
      inSection(`dosing_automation.${name}`, 'job').key(
        key,
        number(min === undefined ? {} : { min }),
        String(preset),
        description,
        { inFile: true, ...(unit !== undefined && { unit }) },
      ),
    ]),
  );

/** The biomass signal in the section of a dosing automation. */
export const biomassSignalOf = ({ name, texts }: NamedAutomation): SettingDeclaration<string> =>
  inSection(`dosing_automation.${name}`, 'job').key(
    biomassSignalSetting,
    text,
    texts?.[biomassSignalSetting]?.default ?? 'auto',
    'The controlled signal: auto, normalized_od, od_fused, od, or a setting of another job as <job>/<setting>. (fused_od is the former name of od_fused.)',
    { inFile: true },
  );

const bioreactor = inSection('bioreactor', 'no');
const bioreactorOfJobs = inSection('bioreactor', 'job');
const mL = { unit: 'mL' };
/** The state of the vial at the start of an experiment, and the bottles. A new leader's file has the usual 15 mL of a vial. */
export const bioreactorSettings = {
  initialVolume: bioreactor.key('initial_volume_ml', atLeast0, '14', 'Volume of liquid when an experiment begins.', {
    unit: 'mL',
    inFile: '15',
  }),
  effluxTubeVolume: bioreactor.key('efflux_tube_volume_ml', atLeast0, '14', 'Volume that the waste pump leaves.', {
    unit: 'mL',
    inFile: '15',
  }),
  initialAltMediaFraction: bioreactor.key(
    'initial_alt_media_fraction',
    share,
    '0',
    'Share of the liquid that is alternative medium when an experiment begins, from 0 to 1.',
    { inFile: true },
  ),
  initialMediaAdded: bioreactor.key(
    'initial_cumulative_media_added_ml',
    atLeast0,
    '0',
    'Media added before an experiment begins.',
    mL,
  ),
  initialAltMediaAdded: bioreactor.key(
    'initial_cumulative_alt_media_added_ml',
    atLeast0,
    '0',
    'Alternative medium added before an experiment begins.',
    mL,
  ),
  initialWasteRemoved: bioreactor.key(
    'initial_cumulative_waste_removed_ml',
    atLeast0,
    '0',
    'Waste removed before an experiment begins.',
    mL,
  ),
  evaporation: bioreactorOfJobs.key(
    'evaporation_ml_per_hour',
    number({ min: 0, max: 10 }),
    '0.02',
    'Liquid that evaporates from the vial: a chemostat replaces it beside what it exchanges.',
    { unit: 'mL/h', inFile: true },
  ),
};

/** Volumes of the bottles, by pump; 0: unknown. */
export const bottleSettings = {
  media: bioreactor.key(
    'media_bottle_ml',
    atLeast0,
    '0',
    'Volume of the medium bottle at the start of an experiment; 0: unknown and not monitored.',
    mL,
  ),
  alt_media: bioreactor.key(
    'alt_media_bottle_ml',
    atLeast0,
    '0',
    'Volume of the alternative medium bottle at the start of an experiment; 0: unknown and not monitored.',
    mL,
  ),
  waste: bioreactor.key(
    'waste_bottle_ml',
    atLeast0,
    '0',
    'Free volume of the waste bottle at the start of an experiment; 0: unknown and not monitored.',
    mL,
  ),
};

const camera = inSection('camera', 'no');
export const cameraSettings = {
  isEnabled: camera.key('enabled', boolean, '0', 'Whether the unit has a camera.'),
  staysOn: camera.key('keep_camera_active', boolean, '0', 'Whether the camera stays on between stills.', {
    isUnused: true,
  }),
  interval: camera.key(
    'snapshot_interval_minutes',
    integer({ min: 0 }),
    '5',
    'Time between stills; 0: no scheduled stills.',
    { unit: 'min' },
  ),
  backend: camera.key('capture_backend', choice(['rpicam', 'v4l2']), 'rpicam', 'The program that takes stills.'),
  index: camera.key('camera_index', integer({ min: 0 }), '0', 'Number of the camera, if there are several.'),
  devicePath: camera.key('device_path', text, '/dev/video0', 'Device of a v4l2 camera.'),
  irLedIntensity: camera.key('ir_led_intensity', percent, '80', 'Light for a still.', { unit: '%' }),
  maxStills: camera.key(
    'max_stills',
    integer({ min: 3 }),
    '500',
    'Maximum number of scheduled stills of an experiment; the unit then removes the stills closest in time.',
  ),
  maxSize: camera.key(
    'max_mb',
    number({ min: 1 }),
    '2048',
    'Maximum size of all stills; the unit then removes the stills closest in time.',
    { unit: 'MB' },
  ),
};

const simulator = inSection('simulator', 'node');
/** Nothing reads them: the command line configures simulated boards. */
const unused = { isUnused: true } as const;
const simulatorSettings = {
  isEnabled: simulator.key('enabled', boolean, '0', 'Whether the board is simulated.', unused),
  seed: simulator.optional('seed', integer({ min: 0 }), 'Seed of its random numbers; empty: a random seed.', unused),
  organism: simulator.key('organism', label, 'yeast', 'The simulated organism.', unused),
  initialOd: simulator.key('initial_od', atLeast0, '0.05', 'Optical density at the start.', { unit: 'OD', ...unused }),
  ambient: simulator.key('ambient_c', number(), '22', 'Room temperature.', { unit: '°C', ...unused }),
  noise: simulator.key('noise_profile', label, 'typical', 'Noise of the simulated sensors.', unused),
  hatVersion: simulator.key('hat_version', text, '1.2', 'Version of the simulated board.', unused),
  reservoir: simulator.key('reservoir_ml', atLeast0, '1000', 'Volume of the media bottles.', { unit: 'mL', ...unused }),
  scenario: simulator.optional('scenario', text, 'What goes wrong.', unused),
  speed: simulator.key('speed', number({ min: 1, max: 1000 }), '1', 'How many times faster the culture grows.', {
    needsRestart: 'no',
    ...unused,
  }),
};

/** The settings of jobs on units, in the order of the default file. */
export const jobSettings = [
  pwmSettings,
  ledSettings,
  photodiodeSettings,
  bioreactorSettings,
  bottleSettings,
  stirringSettings,
  stirringGains,
  odReadingSettings,
  growthRateSettings,
  dosingSettings,
  [biomassSignalOf(turbidostat)],
  automationConstants(pidMorbidostat),
  thermostatGains,
  cameraSettings,
  simulatorSettings,
  opticalQuietPeriod(anyJobSection),
].flatMap((section): readonly SettingDeclaration[] => Object.values(section));

/** Sections in which no two keys may have the same value. */
export const distinctValueSections: readonly string[] = ['PWM', 'leds'];
/** Values that only one key of a section may have. */
export const uniqueValues: Readonly<Record<string, readonly string[]>> = { 'od_config.photodiode_channel': ['REF'] };
