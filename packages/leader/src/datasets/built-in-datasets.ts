import {
  bioreactorSettings,
  type ReadingSource,
  type ReadingTable,
  readingSources,
  type SourceWithTable,
} from '@lcs/domain';
import { activityLeds, activityReadings, activityVolumes } from './activity-columns.ts';
import type { Dataset } from './dataset.ts';
import { builtIn, column, ofUnit, real, text, unitAndTime } from './describe-dataset.ts';

const channel = column('channel', 'integer', 'Photodiode channel, 1 to 4');
const angle = column('angle', 'integer', 'Angle between LED and photodiode', 'degrees');

const photodiode = { channel, angle };

/** Readings of one source, by unit and time. */
function readings(source: SourceWithTable): Dataset {
  const { unit, table }: ReadingSource & { readonly table: ReadingTable } = readingSources[source];
  const { name, title, description, column, columnTitle, channelColumns = [] } = table;
  return builtIn({
    name,
    title,
    description,
    columns: [...unitAndTime, real(column, unit, columnTitle), ...channelColumns.map((one) => photodiode[one])],
    reader: { is: 'readings', source },
  });
}

const activity = builtIn({
  name: 'reactor_unit_activity_data',
  title: 'Unit activity data (recommended)',
  description:
    'The most used data in one wide table: a row for each unit and moment, with the readings, LED changes and pumped volumes of that moment.',
  columns: [
    ...unitAndTime,
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
    ...unitAndTime,
    ...activityReadings.map((one) => real(`avg_${one.column}`, one.unit, `Mean in the minute: ${one.title}`)),
    ...activityVolumes.map((one) => real(`sum_${one.column}`, one.unit, `Sum in the minute: ${one.title}`)),
  ],
  reader: { is: 'minutes' },
  alwaysByUnit: true,
});

/** A number of a fit with its standard error and 95 % confidence interval. */
const estimate = (name: string, unit: string, title: string) => [
  real(name, unit, title),
  real(`${name}_se`, unit, `${title}: standard error`),
  real(`${name}_lower`, unit, `${title}: lower end of the 95 % confidence interval`),
  real(`${name}_upper`, unit, `${title}: upper end of the 95 % confidence interval`),
];

const growthFits = builtIn({
  name: 'growth_curve_fits',
  title: 'Growth curve fits',
  description:
    'Growth curves for publications: a row for each unit and fit, computed from the optical densities of the export, with media doses taken out.',
  columns: [
    ...ofUnit,
    text('timestamp', 'First reading, UTC; hours count from it'),
    text('fit', 'log_linear, gompertz, baranyi_roberts or gaussian_process'),
    text('failure', 'Why the curve cannot be fitted; empty: it was'),
    ...estimate('mu_max', '1/h', 'Maximum specific growth rate'),
    ...estimate('lag_h', 'h', 'Lag'),
    ...estimate('carrying_capacity', 'OD', 'Carrying capacity'),
    ...estimate('doubling_time_h', 'h', 'Doubling time'),
    text('missing', 'Reasons of the numbers that are empty, as JSON'),
    real('generations', '', 'Generations, with the growth that dilutions have hidden'),
    real('from_h', 'h', 'Start of the fitted part'),
    real('to_h', 'h', 'End of the fitted part'),
    column('points', 'integer', 'Means of readings that were fitted'),
    real('rss', '', 'Sum of squared residuals of ln OD'),
    real('aicc', '', 'Corrected Akaike criterion'),
    text('parameters', 'Parameters of the fit as JSON'),
    text('source', 'Source of the readings'),
    channel,
    angle,
    text('calibration_name', 'Calibrations of the readings, separated by blanks; none: without'),
    text('calibration_hash', 'Their SHA-256'),
    column('readings', 'integer', 'Readings of the curve'),
    column('excluded', 'integer', 'Readings left out because of their flags'),
    text('excluded_flags', 'These flags'),
    column('not_positive', 'integer', 'Means left out because they are not above 0'),
    column('doses', 'integer', 'Doses of media, which are taken out of the curve'),
    real('added_ml', 'mL', 'Their volume'),
    text('method_version', 'Changes when the same readings give other numbers'),
  ],
  reader: { is: 'growth_fits', usualVolumeMl: bioreactorSettings.initialVolume.absent },
});

/** The kind of an automation in a sentence. */
const kindText = (title: string): string => (title === 'LED' ? title : title.toLowerCase());

const automationSettings = (kind: string, title: string): Dataset =>
  builtIn({
    name: `${kind}_automation_settings`,
    title: `${title} automation settings`,
    description: `Runs of ${kindText(title)} automations with their settings.`,
    query: `SELECT *, BASE64(settings) AS json_settings FROM ${kind}_automation_settings`,
    columns: [
      ...ofUnit,
      text('started_at', 'When these settings became effective, UTC'),
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
    description: `Decisions of ${kindText(title)} automations with their reasons.`,
    columns: [
      ...unitAndTime,
      text('event_name', 'Type of the event'),
      text('message', 'The event as a sentence'),
      text('data', 'Further details as JSON'),
    ],
  });

/** The datasets that every leader has, in the order in which they are listed. */
export const builtInDatasets: readonly Dataset[] = [
  activity,
  builtIn({
    name: 'logs',
    title: 'Event log',
    description: 'Event log of the leader and its units.',
    columns: [
      ...unitAndTime,
      text('message', 'Message'),
      text('source', 'Source of the entry'),
      text('level', 'DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL'),
      text('task', 'Activity'),
    ],
  }),
  readings('od'),
  readings('od_filtered'),
  readings('growth_rate'),
  readings('liquid_volume'),
  builtIn({
    name: 'experiments',
    title: 'Experiments',
    description: 'All experiments, independent of the exported one.',
    columns: [
      text('experiment', 'Name of the experiment'),
      text('created_at', 'When it was created, UTC'),
      text('description', 'Description by people'),
    ],
    orderBy: 'created_at',
    isOfAllExperiments: true,
  }),
  builtIn({
    name: 'dosing_events',
    title: 'Dosing events',
    description: 'Each time liquid was pumped, and corrections for doses that had no effect.',
    columns: [
      ...unitAndTime,
      text('event', 'add_media, add_alt_media or remove_waste; prime_… and calibrate_… move nothing into the vial'),
      real('volume_change_ml', 'mL', 'Volume pumped'),
      text('source_of_event', 'Who requested it'),
      text('correction', 'Of an entry that reverses a dose without effect: missing, irregular or waste_blocked'),
    ],
  }),
  builtIn({
    name: 'led_change_events',
    title: 'LED changes',
    description: 'Each time the intensity of an LED was changed.',
    columns: [
      ...unitAndTime,
      text('channel', 'LED channel, A to D'),
      real('intensity', '%', 'New intensity'),
      text('source_of_event', 'Who requested it'),
    ],
  }),
  automationSettings('dosing', 'Dosing'),
  automationSettings('led', 'LED'),
  automationSettings('temperature', 'Temperature'),
  readings('temperature'),
  readings('stirring_rpm'),
  readings('ir_led_relative_intensity'),
  builtIn({
    name: 'reactor_unit_labels',
    title: 'Unit labels',
    description: 'Labels of units in an experiment.',
    columns: [...ofUnit, text('label', 'The name'), text('created_at', 'When it was set, UTC')],
    orderBy: 'created_at',
  }),
  automationEvents('temperature', 'Temperature'),
  automationEvents('dosing', 'Dosing'),
  automationEvents('led', 'LED'),
  rollup,
  builtIn({
    name: 'calibrations',
    title: 'Calibrations',
    description: 'Calibrations of the units, copied by the leader, also those of units that are away.',
    columns: [
      text('reactor_unit', 'Name of the unit'),
      text('created_at', 'When it was made, UTC'),
      text('type', 'What is calibrated'),
      text('data', 'The calibration as JSON'),
      text('name', 'Name of the calibration'),
      column('is_current', 'integer', '1 for the one in use'),
      text('set_to_current_at', 'When it was activated, UTC; empty if that was not recorded'),
      text('copied_at', 'When the unit last reported it, UTC'),
    ],
    orderBy: 'created_at',
    timestamps: ['created_at', 'set_to_current_at'],
  }),
  builtIn({
    name: 'pwm_dcs',
    title: 'PWM duty cycles',
    description: 'Duty cycle of each PWM channel.',
    columns: [
      ...unitAndTime,
      ...['1', '2', '3', '4', '5'].map((number) =>
        real(`channel_${number}`, '%', `Duty cycle of PWM channel ${number}`),
      ),
    ],
    reader: { is: 'pwm', source: 'pwm_duty' },
  }),
  readings('raw_od'),
  readings('od_fused'),
  readings('alt_media_fraction'),
  readings('od_blank'),
  builtIn({
    name: 'experiment_worker_assignments_history',
    title: 'Worker assignments',
    description: 'Assignments of units to the experiment, with start and end.',
    columns: [
      ...ofUnit,
      text('assigned_at', 'When it became part of the experiment, UTC'),
      text('unassigned_at', 'When it left, UTC; empty while it is assigned'),
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
    description: 'Notes of people during the experiment: texts, samples taken, media added.',
    columns: [
      ...unitAndTime,
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
    description: 'Starts of experiment profiles.',
    columns: [
      text('experiment', 'Name of the experiment'),
      text('started_at', 'When it was started, UTC'),
      text('experiment_profile_name', 'Name of the profile'),
    ],
    orderBy: 'started_at',
  }),
  readings('growth_rate_sd'),
  builtIn({
    name: 'reading_flags',
    title: 'Flags of readings',
    description:
      'Quality flags of readings: saturated, vial out, bubbles, and so on. The readings themselves are unchanged.',
    columns: [
      ...unitAndTime,
      text('source', 'Source of the readings'),
      channel,
      angle,
      text('flags', 'Flags, separated by blanks'),
    ],
  }),
  builtIn({
    name: 'gaps',
    title: 'Gaps',
    description: 'Records of units that are missing, and times at which units were off, of all experiments.',
    columns: [
      text('reactor_unit', 'Name of the unit'),
      text('from_at', 'When the first of them was made, UTC; empty if unknown. Of a unit: its last record before'),
      text('to_at', 'When the last of them was made, UTC; empty if unknown. Of a unit: its start'),
      text(
        'reason',
        'thinned, disk_full, forgotten, series_limit, unexplained, and so on; unit_off: power or a crash; unit_stopped',
      ),
      column('records', 'integer', 'How many are missing at most; empty of a unit that was off'),
      text('dropped', 'How many of which kind, as JSON; empty if unknown'),
    ],
    orderBy: 'to_at',
    timestamps: ['from_at', 'to_at'],
  }),
  growthFits,
];
