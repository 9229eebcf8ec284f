import type { AlarmParameter, AlarmRuleDefinition } from './alarm-rule.ts';

const seconds = (name: string, label: string, value: number): AlarmParameter => ({
  ...{ type: 'number', name, label, unit: 's', minimum: 0, maximum: 86_400, default: value },
});

/** How long the condition must hold, and how long it must be gone. */
const delays = (onS: number, offS: number): readonly AlarmParameter[] => [
  seconds('on_delay_s', 'Alarm after', onS),
  seconds('off_delay_s', 'Over after', offS),
];

/** Of what happens at a moment: how long it must not happen again. */
const pause = (offS: number): readonly AlarmParameter[] => [seconds('off_delay_s', 'Over after', offS)];

const limit = (name: string, label: string, unit: string, value: number | null): AlarmParameter => ({
  ...{ type: 'number', name, label, unit, minimum: -1e9, maximum: 1e9, mayBeNone: true, default: value },
});

const band = (unit: string, low: number | null, high: number | null, deadband: number): readonly AlarmParameter[] => [
  limit('low', 'Lower limit', unit, low),
  limit('high', 'Upper limit', unit, high),
  { type: 'number', name: 'deadband', label: 'Deadband', unit, minimum: 0, maximum: 1e9, default: deadband },
];

/** Sources of which people may choose one for a rule of their own. */
const sources = [
  ...['od', 'od_fused', 'od_filtered', 'raw_od', 'growth_rate', 'temperature', 'stirring_rpm', 'liquid_volume'],
  ...['alt_media_fraction', 'heater_duty', 'supply_voltage', 'cpu_temperature', 'ir_led_relative_intensity'],
] as const;

const moment = { looksAt: 'events' } as const;
const unit = { scope: 'unit', isEnabled: true } as const;
const ofExperiment = { scope: 'experiment', isEnabled: true } as const;
const cluster = { scope: 'cluster', isEnabled: true } as const;

/** All rules, as they are until somebody changes them. */
export const builtInAlarmRules: readonly AlarmRuleDefinition[] = [
  {
    ...{ rule: 'unit_offline', title: 'Unit offline', severity: 'critical', ...unit, watch: { looksAt: 'liveness' } },
    description:
      'The leader has not heard from an active unit for a minute or more. The unit goes on by itself; look at its power and network.',
    parameters: delays(30, 10),
  },
  {
    ...{ rule: 'unit_trouble', title: 'Unit cannot be followed', severity: 'error', ...unit },
    watch: { looksAt: 'unit_trouble' },
    description: 'The unit answers, but belongs to another leader or has no leader any more. Nothing is read from it.',
    parameters: delays(60, 0),
  },
  {
    ...{ rule: 'unit_cut_off', title: 'Unit was cut off', severity: 'warning', ...unit, watch: moment },
    description:
      'The power of a unit failed, or its program crashed, and it has started again. Look at its power, and whether its jobs went on.',
    parameters: pause(300),
  },
  {
    ...{ rule: 'series_silent', title: 'No readings', severity: 'error', ...ofExperiment },
    watch: { looksAt: 'series_silence' },
    description:
      'A job that measures is running on a unit that is online, and no reading of it has come for some time.',
    parameters: [
      { type: 'number', name: 'minutes', label: 'Silent for', unit: 'min', minimum: 1, maximum: 1_440, default: 10 },
      ...delays(0, 0),
    ],
  },
  {
    ...{ rule: 'temperature_out_of_range', title: 'Temperature out of range', severity: 'critical', ...ofExperiment },
    watch: { looksAt: 'reading', source: 'temperature' },
    description: 'The temperature of a vial is outside of its band.',
    parameters: [...band('°C', 5, 50, 0.5), ...delays(60, 60)],
  },
  {
    ...{ rule: 'volume_out_of_range', title: 'Volume out of range', severity: 'critical', ...ofExperiment },
    watch: { looksAt: 'reading', source: 'liquid_volume' },
    description:
      'There is too much or too little liquid in a vial. Look for overflow and for a blocked tube. Until somebody sets one, the upper limit is that of the model of the unit: halfway between its largest filling and its capacity.',
    parameters: [...band('mL', 2, 19, 0.2), ...delays(0, 0)],
    ofModel: ({ reactor_capacity_ml, reactor_max_fill_volume_ml }) => ({
      high: (reactor_capacity_ml + reactor_max_fill_volume_ml) / 2,
    }),
  },
  {
    ...{ rule: 'od_out_of_range', title: 'Optical density out of range', severity: 'warning', ...ofExperiment },
    watch: { looksAt: 'reading', source: 'od' },
    ...{ isEnabled: false, description: 'The optical density of a vial is outside of its band.' },
    parameters: [...band('', null, null, 0), ...delays(120, 120)],
  },
  {
    ...{ rule: 'value_out_of_range', title: 'Value out of range', severity: 'warning', ...ofExperiment },
    watch: { looksAt: 'reading' },
    ...{ isEnabled: false, description: 'The values of a source that you choose are outside of their band.' },
    parameters: [
      { type: 'choice', name: 'source', label: 'Source', choices: [...sources], default: 'growth_rate' },
      ...band('', null, null, 0),
      ...delays(60, 60),
    ],
  },
  {
    ...{ rule: 'limit_reached', title: 'Safety limit reached', severity: 'error', ...unit, watch: moment },
    description: 'The guard of a unit has held back or switched off an output because a limit was reached.',
    parameters: pause(300),
  },
  {
    ...{ rule: 'output_failed', title: 'Output failed', severity: 'critical', ...unit, watch: moment },
    description: 'An output of a unit could not be set, or its guard was lost and everything was switched off.',
    parameters: pause(300),
  },
  {
    ...{ rule: 'bottle_low', title: 'Bottle nearly empty', severity: 'warning', ...ofExperiment },
    watch: { looksAt: 'bottles' },
    description: 'Little is left in a media bottle, or little room in a waste bottle. Change the bottle.',
    parameters: [
      { type: 'number', name: 'left_ml', label: 'Left', unit: 'mL', minimum: 0, maximum: 100_000, default: 50 },
      { type: 'number', name: 'deadband', label: 'Deadband', unit: 'mL', minimum: 0, maximum: 10_000, default: 5 },
      ...delays(0, 0),
    ],
  },
  {
    ...{ rule: 'dose_implausible', title: 'Dose without effect', severity: 'error', ...ofExperiment, watch: moment },
    description: 'A dose was given and the culture does not show it. Look at the tubes, the pump and the bottle.',
    parameters: pause(600),
  },
  {
    ...{
      rule: 'signal_quality',
      title: 'Poor signal',
      severity: 'warning',
      ...ofExperiment,
      watch: { looksAt: 'signals' },
    },
    description:
      'A unit says that its optical signal is not to be trusted: no stir bar, bubbles, vial out, light failing.',
    parameters: delays(60, 60),
  },
  {
    ...{
      rule: 'job_ended_by_error',
      title: 'Job ended by an error',
      severity: 'error',
      ...ofExperiment,
      watch: moment,
    },
    description: 'A job has ended although nobody stopped it. The event log says why; start it again.',
    parameters: pause(300),
  },
  {
    ...{ rule: 'disk_low', title: 'Disk of the leader nearly full', severity: 'error', ...cluster },
    watch: { looksAt: 'leader_disk' },
    description:
      'Delete experiments or other files of the leader soon. When the disk is full, readings wait on the units.',
    parameters: delays(0, 60),
  },
  {
    ...{ rule: 'unit_disk_low', title: 'Disk of a unit nearly full', severity: 'error', ...unit },
    watch: { looksAt: 'unit_disk' },
    description: 'A unit has little room on its disk, or refuses new readings for want of room.',
    parameters: [
      { type: 'number', name: 'free_mb', label: 'Free', unit: 'MB', minimum: 0, maximum: 1_000_000, default: 500 },
      ...delays(0, 60),
    ],
  },
  {
    ...{ rule: 'clock_off', title: 'Clock of a unit is off', severity: 'warning', ...unit },
    watch: { looksAt: 'unit_clock' },
    description: 'The clocks of leader and unit differ. Readings get wrong times.',
    parameters: [
      { type: 'number', name: 'offset_s', label: 'Off by', unit: 's', minimum: 1, maximum: 86_400, default: 5 },
      ...delays(60, 60),
    ],
  },
  {
    ...{ rule: 'clock_step_refused', title: 'Wrong time refused', severity: 'error', ...unit, watch: moment },
    description:
      'A clock jumped by more than a minute, and the unit keeps its own time. Check the clock of the leader and the unit. If the leader is right, set the clocks of all machines.',
    parameters: pause(300),
  },
  {
    ...{ rule: 'desired_not_applied', title: 'Instructions not applied', severity: 'error', ...unit },
    watch: { looksAt: 'unit_document' },
    description:
      'A unit that is online has not taken over its experiment, configuration or model, or could not apply a part of them.',
    parameters: delays(60, 0),
  },
  {
    ...{ rule: 'gap_unexplained', title: 'Records missing', severity: 'error', ...unit },
    watch: { looksAt: 'store', table: 'gaps' },
    description:
      'Records of a unit never arrived and the unit does not say why, or they were refused because it has too many series. The event log says which.',
    parameters: [
      { type: 'number', name: 'hours', label: 'Shown for', unit: 'h', minimum: 1, maximum: 720, default: 24 },
      ...delays(0, 0),
    ],
  },
  {
    ...{ rule: 'experiment_unknown', title: 'Readings of an unknown experiment', severity: 'error', ...unit },
    watch: { looksAt: 'store', table: 'unknown_experiments' },
    description:
      'A unit has readings of an experiment that the leader does not know. Perhaps an older backup was restored.',
    parameters: delays(0, 0),
  },
  {
    ...{ rule: 'database_damaged', title: 'Database damaged', severity: 'critical', ...cluster },
    watch: { looksAt: 'reports' },
    description: 'The check of the database found faults. Restore a backup.',
    parameters: delays(0, 0),
  },
  {
    ...{ rule: 'backup_failed', title: 'Backup failed', severity: 'error', ...cluster, watch: { looksAt: 'reports' } },
    description: 'The last backup could not be made or not be verified.',
    parameters: delays(0, 0),
  },
  {
    ...{ rule: 'drill', title: 'Drill', severity: 'critical', ...cluster, watch: { looksAt: 'reports' } },
    description: 'Somebody tries whether alarms reach people. Nothing is wrong.',
    parameters: [],
  },
];
