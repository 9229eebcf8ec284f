import { namedSources } from '../readings/reading-sources.ts';
import type { AlarmParameter, AlarmRuleDefinition } from './alarm-rule.ts';

const seconds = (name: string, label: string, value: number): AlarmParameter => ({
  type: 'number',
  name,
  label,
  unit: 's',
  minimum: 0,
  maximum: 86_400,
  default: value,
});

/** On-delay and off-delay. */
const delays = (onS: number, offS: number): readonly AlarmParameter[] => [
  seconds('on_delay_s', 'Delay', onS),
  seconds('off_delay_s', 'Clears after', offS),
];

/** Off-delay of an event: how long it must not occur again. */
const offDelay = (offS: number): readonly AlarmParameter[] => [seconds('off_delay_s', 'Clears after', offS)];

const withoutReading: AlarmParameter = {
  type: 'number',
  name: 'minutes',
  label: 'Without a reading for',
  unit: 'min',
  minimum: 1,
  maximum: 1_440,
  default: 10,
};

const limit = (name: string, label: string, unit: string, value: number | null): AlarmParameter => ({
  type: 'number',
  name,
  label,
  unit,
  minimum: -1e9,
  maximum: 1e9,
  nullable: true,
  default: value,
});

const band = (unit: string, low: number | null, high: number | null, deadband: number): readonly AlarmParameter[] => [
  limit('low', 'Lower limit', unit, low),
  limit('high', 'Upper limit', unit, high),
  { type: 'number', name: 'deadband', label: 'Deadband', unit, minimum: 0, maximum: 1e9, default: deadband },
];

/** The sources that people may choose for the rule `value_out_of_range`. */
const sources = namedSources.flatMap(([name, { isAlarmSource }]) => (isAlarmSource ? [name] : []));

const eventMonitor = { input: 'events' } as const;
const unit = { scope: 'unit', isEnabled: true } as const;
const ofExperiment = { scope: 'experiment', isEnabled: true } as const;
const cluster = { scope: 'cluster', isEnabled: true } as const;

/** All built-in rules with their defaults. */
export const builtInAlarmRules: readonly AlarmRuleDefinition[] = [
  {
    rule: 'unit_offline',
    title: 'Unit offline',
    severity: 'critical',
    ...unit,
    monitor: { input: 'liveness' },
    description:
      'The leader has received nothing from an active unit for a minute or more. The unit continues by itself. Check its power and network.',
    parameters: delays(30, 10),
  },
  {
    rule: 'unit_trouble',
    title: 'Unit cannot be read',
    severity: 'error',
    ...unit,
    monitor: { input: 'unit_fault' },
    description:
      'The unit responds, but belongs to another leader or no longer has a leader. This leader reads nothing from it.',
    parameters: delays(60, 0),
  },
  {
    rule: 'unit_cut_off',
    title: 'Unit lost power or crashed',
    severity: 'warning',
    ...unit,
    monitor: eventMonitor,
    description:
      'The power of a unit failed or its program crashed, and the unit has started again. Check its power, and whether its jobs continued.',
    parameters: offDelay(300),
  },
  {
    rule: 'series_silent',
    title: 'No readings',
    severity: 'error',
    ...ofExperiment,
    monitor: { input: 'series_silence' },
    description:
      'A measuring job runs on a unit that is online, and the leader has received no reading from it for some time.',
    parameters: [withoutReading, ...delays(0, 0)],
  },
  {
    rule: 'dosing_without_readings',
    title: 'Dosing without readings',
    severity: 'warning',
    ...ofExperiment,
    monitor: { input: 'dosing_readings' },
    description:
      'A dosing automation runs and doses nothing, because the readings it needs do not come: their job is off, paused or silent. Start OD reading or growth rate again.',
    parameters: [withoutReading, ...delays(0, 0)],
  },
  {
    rule: 'temperature_out_of_range',
    title: 'Temperature out of range',
    severity: 'critical',
    ...ofExperiment,
    monitor: { input: 'reading', source: 'temperature' },
    description: 'The temperature of a vial is outside its limits.',
    parameters: [...band('°C', 5, 50, 0.5), ...delays(60, 60)],
  },
  {
    rule: 'volume_out_of_range',
    title: 'Volume out of range',
    severity: 'critical',
    ...ofExperiment,
    monitor: { input: 'reading', source: 'liquid_volume' },
    description:
      'There is too much or too little liquid in a vial. Check for overflow and for a blocked tube. Until somebody sets an upper limit, each vial has that of its model: 19 mL in a vial of 20 mL, 38 mL in one of 40 mL.',
    parameters: [...band('mL', 2, 19, 0.2), ...delays(0, 0)],
    modelDefaults: ({ reactor_capacity_ml, reactor_max_fill_volume_ml }) => ({
      high: (reactor_capacity_ml + reactor_max_fill_volume_ml) / 2,
    }),
  },
  {
    rule: 'od_out_of_range',
    title: 'Optical density out of range',
    severity: 'warning',
    ...ofExperiment,
    monitor: { input: 'reading', source: 'od' },
    isEnabled: false,
    description: 'The optical density of a vial is outside its limits.',
    parameters: [...band('', null, null, 0), ...delays(120, 120)],
  },
  {
    rule: 'value_out_of_range',
    title: 'Value out of range',
    severity: 'warning',
    ...ofExperiment,
    monitor: { input: 'reading' },
    isEnabled: false,
    description: 'The value of a source that you choose is outside its limits.',
    parameters: [
      {
        type: 'choice',
        name: 'source',
        label: 'Source',
        choices: sources,
        allowsPluginSources: true,
        default: 'growth_rate',
      },
      ...band('', null, null, 0),
      ...delays(60, 60),
    ],
  },
  {
    rule: 'limit_reached',
    title: 'Safety limit reached',
    severity: 'error',
    ...unit,
    monitor: eventMonitor,
    description: "A unit's guard has limited or switched off an output because a safety limit was reached.",
    parameters: offDelay(300),
  },
  {
    rule: 'output_failed',
    title: 'Output failed',
    severity: 'critical',
    ...unit,
    monitor: eventMonitor,
    description: 'A unit could not set an output, or it lost its guard and all its outputs are off.',
    parameters: offDelay(300),
  },
  {
    rule: 'bottle_low',
    title: 'Bottle nearly empty',
    severity: 'warning',
    ...ofExperiment,
    monitor: { input: 'bottles' },
    description: 'A media bottle is nearly empty, or a waste bottle nearly full. Change the bottle.',
    parameters: [
      { type: 'number', name: 'left_ml', label: 'Volume left', unit: 'mL', minimum: 0, maximum: 100_000, default: 50 },
      { type: 'number', name: 'deadband', label: 'Deadband', unit: 'mL', minimum: 0, maximum: 10_000, default: 5 },
      ...delays(0, 0),
    ],
  },
  {
    rule: 'dose_implausible',
    title: 'Dose without effect',
    severity: 'error',
    ...ofExperiment,
    monitor: eventMonitor,
    description:
      'Doses did not arrive, arrived in part, or did not leave the vial, as the optical density shows. The automation pauses, unless the configuration of dosing says to warn only. Check the tubes, the pump and the bottle, then resume it.',
    parameters: offDelay(600),
  },
  {
    rule: 'dosing_cannot_keep_up',
    title: 'Pumps do not keep up with growth',
    severity: 'error',
    ...ofExperiment,
    monitor: eventMonitor,
    description:
      'A turbidostat exchanges as fast as it can and stays above its target, or growth is faster than exchanges of the set volume wash out. Choose larger exchanges, a lower density, or calibrate the pumps with a higher duty.',
    parameters: offDelay(600),
  },
  {
    rule: 'pump_deviates',
    title: 'Pump differs from its calibration',
    severity: 'warning',
    ...ofExperiment,
    monitor: eventMonitor,
    description:
      'The effect of its doses on the optical density is more than 15 % off the calibrated volume. Calibrate the pump again.',
    parameters: offDelay(600),
  },
  {
    rule: 'signal_quality',
    title: 'Poor signal',
    severity: 'warning',
    ...ofExperiment,
    monitor: { input: 'signals' },
    description: 'A unit reports a fault of its optical signal: no stir bar, bubbles, no vial, or a failing LED.',
    parameters: delays(60, 60),
  },
  {
    rule: 'job_ended_by_error',
    title: 'Job ended by an error',
    severity: 'error',
    ...ofExperiment,
    monitor: eventMonitor,
    description:
      'A job has ended without a stop by a person. Read the reason in the event log, then start the job again.',
    parameters: offDelay(300),
  },
  {
    rule: 'profile_action_failed',
    title: 'Step of a profile failed',
    severity: 'error',
    ...ofExperiment,
    monitor: eventMonitor,
    description:
      'A running profile could not carry out a step on a unit, for example because its job was running already. The profile continues with the next step. Read the reason, then set the job by hand or run the profile again.',
    parameters: offDelay(300),
  },
  {
    rule: 'disk_low',
    title: 'Disk of the leader nearly full',
    severity: 'error',
    ...cluster,
    monitor: { input: 'leader_disk' },
    description:
      'Delete experiments or other files of the leader soon. When the disk is full, readings wait on the units.',
    parameters: delays(0, 60),
  },
  {
    rule: 'unit_disk_low',
    title: 'Disk of a unit nearly full',
    severity: 'error',
    ...unit,
    monitor: { input: 'unit_disk' },
    description: 'The disk of a unit is nearly full, or so full that the unit refuses new readings.',
    parameters: [
      {
        type: 'number',
        name: 'free_mb',
        label: 'Free space',
        unit: 'MB',
        minimum: 0,
        maximum: 1_000_000,
        default: 500,
      },
      ...delays(0, 60),
    ],
  },
  {
    rule: 'changes_not_recorded',
    title: 'Changes not recorded',
    severity: 'error',
    ...unit,
    monitor: { input: 'unit_records' },
    description:
      'A unit has stopped or changed jobs and cannot record it: its disk is full, or another program has locked its database. It tries again. Free space on the unit or end the other program.',
    parameters: delays(0, 60),
  },
  {
    rule: 'clock_off',
    title: 'Clock of a unit is off',
    severity: 'warning',
    ...unit,
    monitor: { input: 'unit_clock' },
    description: 'The clocks of the leader and a unit differ. Readings of the unit get wrong times.',
    parameters: [
      { type: 'number', name: 'offset_s', label: 'Difference', unit: 's', minimum: 1, maximum: 86_400, default: 5 },
      ...delays(60, 60),
    ],
  },
  {
    rule: 'clock_step_refused',
    title: 'Wrong time refused',
    severity: 'error',
    ...unit,
    monitor: eventMonitor,
    description:
      'A clock jumped by more than a minute, and the unit keeps its own time. Check the clocks of the leader and the unit. If the leader is right, set the clocks of all machines.',
    parameters: offDelay(300),
  },
  {
    rule: 'desired_not_applied',
    title: 'Instructions not applied',
    severity: 'error',
    ...unit,
    monitor: { input: 'unit_document' },
    description:
      'A unit that is online has not applied its experiment, configuration or model, or only a part of them.',
    parameters: delays(60, 0),
  },
  {
    rule: 'gap_unexplained',
    title: 'Records missing',
    severity: 'error',
    ...unit,
    monitor: { input: 'store', table: 'gaps' },
    description:
      'Records of a unit are missing without a reported reason, or the leader refused them because the unit has too many series. The event log names them.',
    parameters: [
      { type: 'number', name: 'hours', label: 'Shown for', unit: 'h', minimum: 1, maximum: 720, default: 24 },
      ...delays(0, 0),
    ],
  },
  {
    rule: 'experiment_unknown',
    title: 'Readings of an unknown experiment',
    severity: 'error',
    ...unit,
    monitor: { input: 'store', table: 'unknown_experiments' },
    description:
      'A unit sends readings of an experiment that the leader does not know. Possible cause: an older backup was restored.',
    parameters: delays(0, 0),
  },
  {
    rule: 'database_damaged',
    title: 'Database damaged',
    severity: 'critical',
    ...cluster,
    monitor: { input: 'reports' },
    description: 'The integrity check of the database found errors. Restore a backup.',
    parameters: delays(0, 0),
  },
  {
    rule: 'backup_failed',
    title: 'Backup failed',
    severity: 'error',
    ...cluster,
    monitor: { input: 'reports' },
    description: 'The last backup failed, or its verification failed.',
    parameters: delays(0, 0),
  },
  {
    rule: 'drill',
    title: 'Test alarm',
    severity: 'critical',
    ...cluster,
    monitor: { input: 'reports' },
    description: 'A person tests whether alarms reach people. There is no fault.',
    parameters: [],
  },
];
