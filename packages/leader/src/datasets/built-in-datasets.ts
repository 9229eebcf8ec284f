import { activityLeds, activityReadings, activityVolumes } from './activity-columns.ts';
import type { Dataset } from './dataset.ts';
import { builtIn, column, type DescribedColumn, momentOfUnit, ofUnit, real, text } from './describe-dataset.ts';

/** Readings of one source, by unit and moment. */
const readings = (
  name: string,
  title: string,
  source: string,
  columns: readonly DescribedColumn[],
  description: string,
): Dataset =>
  builtIn({ name, title, description, columns: [...momentOfUnit, ...columns], reader: { is: 'readings', source } });

const channel = column('channel', 'integer', 'Photodiode channel, 1 to 4');
const angle = column('angle', 'integer', 'Angle between LED and photodiode', 'degrees');

const activity = builtIn({
  name: 'reactor_unit_activity_data',
  title: 'Unit activity data (recommended)',
  description:
    'What most analyses need in one wide table: a row for each unit and moment, with the readings, LED changes and pumped volumes of that moment.',
  columns: [
    ...momentOfUnit,
    ...[...activityReadings, ...activityLeds, ...activityVolumes].map((one) => real(one.column, one.unit, one.title)),
  ],
  reader: { is: 'activity' },
  alwaysByUnit: true,
});

const rollup = builtIn({
  name: 'reactor_unit_activity_data_rollup',
  title: 'Unit activity data, by the minute',
  description: 'Unit activity data reduced to minutes: means of readings and sums of pumped volumes.',
  columns: [
    ...momentOfUnit,
    ...activityReadings.map((one) => real(`avg_${one.column}`, one.unit, `Mean in the minute: ${one.title}`)),
    ...activityVolumes.map((one) => real(`sum_${one.column}`, one.unit, `Sum in the minute: ${one.title}`)),
  ],
  reader: { is: 'minutes' },
  alwaysByUnit: true,
});

const automationSettings = (kind: string, title: string): Dataset =>
  builtIn({
    name: `${kind}_automation_settings`,
    title: `${title} automation settings`,
    description: `Which ${kind} automation ran when, and with which settings.`,
    query: `SELECT *, BASE64(settings) AS json_settings FROM ${kind}_automation_settings`,
    columns: [
      ...ofUnit,
      text('started_at', 'When these settings came into force, UTC'),
      text('ended_at', 'When they were replaced, UTC; empty for the last ones'),
      text('automation_name', 'Name of the automation'),
      text('settings', 'Settings as base64 text'),
      text('json_settings', 'Settings as JSON'),
    ],
    orderBy: 'started_at',
    timestamps: ['started_at', 'ended_at'],
  });

const automationEvents = (kind: string, title: string): Dataset =>
  builtIn({
    name: `${kind}_automation_events`,
    title: `${title} automation events`,
    description: `What ${kind} automations decided, and why.`,
    columns: [
      ...momentOfUnit,
      text('event_name', 'What kind of event'),
      text('message', 'The event in words'),
      text('data', 'Further details as JSON'),
    ],
  });

/** The datasets that every leader has, in the order in which they are listed. */
export const builtInDatasets: readonly Dataset[] = [
  activity,
  builtIn({
    name: 'logs',
    title: 'Event log',
    description: 'What the leader and its units said.',
    columns: [
      ...momentOfUnit,
      text('message', 'What was said'),
      text('source', 'Which part said it'),
      text('level', 'DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL'),
      text('task', 'What was being done'),
    ],
  }),
  readings(
    'od_readings',
    'Optical density',
    'od',
    [real('od_reading', 'OD or AU', 'Optical density: OD when calibrated, otherwise the signal'), angle, channel],
    'Optical density of each photodiode, calibrated where there is a calibration.',
  ),
  readings(
    'od_readings_filtered',
    'Normalised optical density',
    'od_filtered',
    [real('normalized_od_reading', 'nOD', 'Optical density as a multiple of its start')],
    'Optical density as a multiple of its start, smoothed.',
  ),
  readings(
    'growth_rates',
    'Growth rate',
    'growth_rate',
    [real('rate', '1/h', 'Estimated growth rate')],
    'Growth rate as estimated from optical density.',
  ),
  readings(
    'liquid_volumes',
    'Liquid volume',
    'liquid_volume',
    [real('liquid_volume', 'mL', 'Volume in the vial')],
    'Volume in the vial, from the book-keeping of pumps.',
  ),
  builtIn({
    name: 'experiments',
    title: 'Experiments',
    description: 'All experiments, whichever one is exported.',
    columns: [
      text('experiment', 'Name of the experiment'),
      text('created_at', 'When it was created, UTC'),
      text('description', 'What people wrote about it'),
    ],
    orderBy: 'created_at',
    isOfAllExperiments: true,
  }),
  builtIn({
    name: 'dosing_events',
    title: 'Dosing events',
    description: 'Each time liquid was pumped.',
    columns: [
      ...momentOfUnit,
      text('event', 'add_media, add_alt_media or remove_waste'),
      real('volume_change_ml', 'mL', 'Volume pumped'),
      text('source_of_event', 'Who asked for it'),
    ],
  }),
  builtIn({
    name: 'led_change_events',
    title: 'LED changes',
    description: 'Each time the intensity of an LED was changed.',
    columns: [
      ...momentOfUnit,
      text('channel', 'LED channel, A to D'),
      real('intensity', '%', 'New intensity'),
      text('source_of_event', 'Who asked for it'),
    ],
  }),
  automationSettings('dosing', 'Dosing'),
  automationSettings('led', 'LED'),
  automationSettings('temperature', 'Temperature'),
  readings(
    'temperature_readings',
    'Temperature',
    'temperature',
    [real('temperature_c', '°C', 'Temperature of the liquid')],
    'Temperature of the liquid in the vial.',
  ),
  readings(
    'stirring_rates',
    'Stirring rate',
    'stirring_rpm',
    [real('measured_rpm', 'RPM', 'Measured speed')],
    'Measured speed of the stirrer.',
  ),
  readings(
    'ir_led_intensities',
    'IR LED intensity',
    'ir_led_relative_intensity',
    [real('relative_intensity', 'ratio', 'Intensity relative to its start')],
    'Output of the infrared LED relative to its start, as the reference photodiode sees it.',
  ),
  builtIn({
    name: 'reactor_unit_labels',
    title: 'Unit labels',
    description: 'Names that people gave to units in an experiment.',
    columns: [...ofUnit, text('label', 'The name'), text('created_at', 'When it was given, UTC')],
    orderBy: 'created_at',
  }),
  automationEvents('temperature', 'Temperature'),
  automationEvents('dosing', 'Dosing'),
  automationEvents('led', 'LED'),
  rollup,
  builtIn({
    name: 'calibrations',
    title: 'Calibrations',
    description: 'Calibrations of the units, as the leader copied them: those of units that are away too.',
    columns: [
      text('reactor_unit', 'Name of the unit'),
      text('created_at', 'When it was made, UTC'),
      text('type', 'What is calibrated'),
      text('data', 'The calibration as JSON'),
      text('name', 'Name of the calibration'),
      column('is_current', 'integer', '1 for the one in use'),
      text('set_to_current_at', 'When it was taken into use, UTC; empty where that was not written down'),
      text('copied_at', 'When the unit last said that it has it, UTC'),
    ],
    orderBy: 'created_at',
    timestamps: ['created_at', 'set_to_current_at'],
  }),
  builtIn({
    name: 'pwm_dcs',
    title: 'PWM duty cycles',
    description: 'Duty cycle of each PWM channel.',
    columns: [
      ...momentOfUnit,
      ...['1', '2', '3', '4', '5'].map((number) =>
        real(`channel_${number}`, '%', `Duty cycle of PWM channel ${number}`),
      ),
    ],
  }),
  readings(
    'raw_od_readings',
    'Raw optical density',
    'raw_od',
    [real('od_reading', 'AU', 'Signal of the photodiode after referencing'), channel],
    'Signal of each photodiode before calibration.',
  ),
  readings(
    'od_readings_fused',
    'Fused optical density',
    'od_fused',
    [real('od_reading', 'OD', 'Optical density')],
    'Optical density fused from several angles.',
  ),
  readings(
    'alt_media_fractions',
    'Fraction of alternative media',
    'alt_media_fraction',
    [real('alt_media_fraction', 'fraction', 'Share of the liquid in the vial')],
    'Share of the liquid that came from the alternative media.',
  ),
  readings(
    'od_blanks',
    'Optical density blanks',
    'od_blank',
    [real('od_reading', 'AU', 'Signal of the vial without cells'), angle, channel],
    'Signal of the photodiodes before cells were added.',
  ),
  builtIn({
    name: 'experiment_worker_assignments_history',
    title: 'Worker assignments',
    description: 'Which unit was part of the experiment from when to when.',
    columns: [
      ...ofUnit,
      text('assigned_at', 'When it became part of the experiment, UTC'),
      text('unassigned_at', 'When it left, UTC; empty while it is there'),
    ],
    orderBy: 'assigned_at',
    timestamps: ['assigned_at', 'unassigned_at'],
  }),
  builtIn({
    name: 'experiment_tags',
    title: 'Experiment tags',
    description: 'Tags of the experiment.',
    columns: [
      text('experiment', 'Name of the experiment'),
      text('tag', 'The tag'),
      text('created_at', 'When the experiment was created, UTC'),
    ],
    orderBy: 'created_at',
  }),
  builtIn({
    name: 'experiment_notes',
    title: 'Notes',
    description: 'What people wrote down during the experiment: notes, samples taken, media added.',
    columns: [
      ...momentOfUnit,
      text('kind', 'note, sample_taken or media_added'),
      text('text', 'The note'),
      real('volume_ml', 'mL', 'Volume taken or added; empty for a note'),
      text('author', 'Who wrote it'),
    ],
  }),
  builtIn({
    name: 'config_files_histories',
    title: 'Configuration history',
    description: 'Versions of the configuration files; secrets are blanked.',
    columns: [
      text('timestamp', 'When it was saved, UTC'),
      text('filename', 'Which file'),
      text('data', 'The whole file'),
    ],
  }),
  builtIn({
    name: 'experiment_profile_runs',
    title: 'Runs of experiment profiles',
    description: 'Which experiment profile was started when.',
    columns: [
      text('experiment', 'Name of the experiment'),
      text('started_at', 'When it was started, UTC'),
      text('experiment_profile_name', 'Name of the profile'),
    ],
    orderBy: 'started_at',
  }),
  readings(
    'growth_rate_deviations',
    'Deviation of the growth rate',
    'growth_rate_sd',
    [real('rate_sd', '1/h', 'Standard deviation of the estimated growth rate')],
    'How far the estimated growth rate may be from the true one, by the estimator itself.',
  ),
  builtIn({
    name: 'reading_flags',
    title: 'Flags of readings',
    description:
      'What was noticed beside readings: saturated, vial out, bubbles, and so on. The readings are as they were.',
    columns: [
      ...momentOfUnit,
      text('source', 'Of which readings'),
      channel,
      angle,
      text('flags', 'Words, with blanks between'),
    ],
  }),
  builtIn({
    name: 'gaps',
    title: 'Gaps',
    description:
      'Records of units that are missing, and times at which units were off, of all experiments: nothing can be said about these times.',
    columns: [
      text('reactor_unit', 'Name of the unit'),
      text(
        'from_at',
        'When the first of them was made, UTC; empty where nobody knows. Of a unit: its last record before',
      ),
      text('to_at', 'When the last of them was made, UTC; empty where nobody knows. Of a unit: its start'),
      text(
        'reason',
        'thinned, disk_full, forgotten, series_limit, unexplained, and so on; unit_off: power or a crash; unit_stopped',
      ),
      column('records', 'integer', 'How many are missing at most; empty of a unit that was off'),
      text('dropped', 'How many of which kind, as JSON; empty where nobody knows'),
    ],
    orderBy: 'to_at',
    timestamps: ['from_at', 'to_at'],
  }),
];
