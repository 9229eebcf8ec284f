/** A time (integer ms, an SQL expression) as an instant in text. */
export const instant = (at: string): string =>
  `strftime('%Y-%m-%dT%H:%M:%S', ${at} / 1000, 'unixepoch') || printf('.%03dZ', ${at} % 1000)`;

const existingExperiment = (uid: string): string => `join experiments e on e.uid = ${uid} and e.deleting_at is null`;

/** Readings whose derivation, if they have one, is the active one. */
const samplesOf = (source: string): string => `
  from series s
  ${existingExperiment('s.experiment_uid')}
  join samples x on x.series_id = s.id
  left join derivations d on d.id = s.derivation_id
  where s.source = '${source}' and ifnull(d.active, 1) = 1`;

const prefix = (unit: string, at: string): string =>
  `e.name as experiment, ${unit} as reactor_unit, ${instant(at)} as timestamp`;

/** `channels`: whether the source is measured by several photodiodes. */
const sampleView = (view: string, column: string, source: string, channels = false): string => `
  create view ${view} as
  select ${prefix('s.unit', 'x.at')}, x.value as ${column}
    ${channels ? ', s.angle, cast(s.channel as integer) as channel' : ''}
  ${samplesOf(source)};`;

const eventsNamed = (name: string): string =>
  `from events v ${existingExperiment('v.experiment_uid')} where v.name = '${name}'`;

const field = (key: string): string => `json_extract(v.data, '$.${key}')`;

const automationViews = (kind: string): string => `
  create view ${kind}_automation_events as
  select ${prefix('v.reactor_unit', 'v.at')}, ${field('event_name')} as event_name, v.message,
    ${field('data')} as data
  ${eventsNamed('automation')} and ${field('kind')} = '${kind}';

  create view ${kind}_automation_settings as
  select e.name as experiment, v.reactor_unit, ${instant(field('started_at'))} as started_at,
    max(${instant(field('ended_at'))}) as ended_at, ${field('automation_name')} as automation_name,
    ${field('settings')} as settings
  ${eventsNamed('automation_settings')} and ${field('kind')} = '${kind}'
  group by v.experiment_uid, v.reactor_unit, ${field('started_at')}, ${field('automation_name')};`;

const pwmChannels = ['1', '2', '3', '4', '5']
  .map((channel) => `max(case s.channel when '${channel}' then x.value end) as channel_${channel}`)
  .join(', ');

/** Columns of the wide table, each with its source. */
const activityReadings = [
  ['od_reading', 'od'],
  ['od_fused', 'od_fused'],
  ['normalized_od_reading', 'od_filtered'],
  ['temperature_c', 'temperature'],
  ['growth_rate', 'growth_rate'],
  ['measured_rpm', 'stirring_rpm'],
] as const;
const activityLeds = ['A', 'B', 'C', 'D'].map((led) => [`led_${led.toLowerCase()}_intensity_update`, led] as const);
const activityVolumes = ['add_media', 'remove_waste', 'add_alt_media'].map((dose) => [`${dose}_ml`, dose] as const);

const activityView = `
  create view reactor_unit_activity_data as
  select e.name as experiment, m.unit as reactor_unit, ${instant('m.at')} as timestamp,
    ${activityReadings.map(([column, source]) => `max(case m.what when '${source}' then m.value end) as ${column}`).join(', ')},
    ${activityLeds.map(([column, led]) => `max(case m.what when 'led ${led}' then m.value end) as ${column}`).join(', ')},
    ${activityVolumes.map(([column, dose]) => `sum(case m.what when 'dose ${dose}' then m.value end) as ${column}`).join(', ')}
  from (
    select s.experiment_uid as uid, s.unit, x.at, s.source as what, x.value
    from series s
    join samples x on x.series_id = s.id
    left join derivations d on d.id = s.derivation_id
    where s.source in (${activityReadings.map(([, source]) => `'${source}'`).join(', ')}) and ifnull(d.active, 1) = 1
    union all
    select v.experiment_uid, v.reactor_unit, v.at, 'led ' || ${field('channel')}, ${field('intensity')}
    from events v where v.name = 'led_change'
    union all
    select v.experiment_uid, v.reactor_unit, v.at, 'dose ' || ${field('event')}, ${field('volume_change_ml')}
    from events v where v.name = 'dosing'
  ) m
  ${existingExperiment('m.uid')}
  group by m.uid, m.unit, m.at;

  create view reactor_unit_activity_data_rollup as
  select experiment, reactor_unit, substr(timestamp, 1, 16) || ':00.000Z' as timestamp,
    ${activityReadings.map(([column]) => `avg(${column}) as avg_${column}`).join(', ')},
    ${activityVolumes.map(([column]) => `sum(${column}) as sum_${column}`).join(', ')}
  from reactor_unit_activity_data
  group by 1, 2, 3;`;

/** On PostgreSQL the public views are no part of the migrations: see `postgres-views.ts`. */
export const viewsAreElsewhere = '';

/** For SQL written by people. The program itself reads the tables. */
export const viewsMigration = {
  set: 'leader',
  id: 4,
  name: 'classic views',
  upPostgres: viewsAreElsewhere,
  up: `
    ${sampleView('od_readings', 'od_reading', 'od', true)}
    ${sampleView('raw_od_readings', 'od_reading', 'raw_od', true)}
    ${sampleView('od_blanks', 'od_reading', 'od_blank', true)}
    ${sampleView('od_readings_fused', 'od_reading', 'od_fused')}
    ${sampleView('od_readings_filtered', 'normalized_od_reading', 'od_filtered')}
    ${sampleView('growth_rates', 'rate', 'growth_rate')}
    ${sampleView('temperature_readings', 'temperature_c', 'temperature')}
    ${sampleView('stirring_rates', 'measured_rpm', 'stirring_rpm')}
    ${sampleView('ir_led_intensities', 'relative_intensity', 'ir_led_relative_intensity')}
    ${sampleView('alt_media_fractions', 'alt_media_fraction', 'alt_media_fraction')}
    ${sampleView('liquid_volumes', 'liquid_volume', 'liquid_volume')}

    create view pwm_dcs as
    select ${prefix('s.unit', 'x.at')}, ${pwmChannels}
    ${samplesOf('pwm_duty')}
    group by s.experiment_uid, s.unit, x.at;

    create view dosing_events as
    select ${prefix('v.reactor_unit', 'v.at')}, ${field('event')} as event,
      ${field('volume_change_ml')} as volume_change_ml, v.source as source_of_event
    ${eventsNamed('dosing')};

    create view led_change_events as
    select ${prefix('v.reactor_unit', 'v.at')}, ${field('channel')} as channel, ${field('intensity')} as intensity,
      v.source as source_of_event
    ${eventsNamed('led_change')};

    ${['dosing', 'led', 'temperature'].map(automationViews).join('\n')}
    ${activityView}

    create view event_logs as
    select l.experiment, l.reactor_unit, ${instant('l.at')} as timestamp, l.message,
      l.source, l.level, l.task
    from logs l
    where l.experiment_id is null
      or exists (select 1 from experiments e where e.id = l.experiment_id and e.deleting_at is null);

    create view reactor_unit_labels as
    select e.name as experiment, l.reactor_unit, l.label, ${instant('l.created_at')} as created_at
    from unit_labels l join experiments e on e.id = l.experiment_id and e.deleting_at is null;

    create view experiment_profile_runs as
    select e.name as experiment, ${instant('v.at')} as started_at,
      ${field('experiment_profile_name')} as experiment_profile_name
    ${eventsNamed('profile_run')};

    create view experiment_worker_assignments as
    select a.reactor_unit, e.name as experiment, ${instant('a.assigned_at')} as assigned_at
    from assignments a join experiments e on e.id = a.experiment_id;

    create view experiment_worker_assignments_history as
    select h.reactor_unit, h.experiment, ${instant('h.assigned_at')} as assigned_at,
      ${instant('h.unassigned_at')} as unassigned_at
    from assignment_history h;

    create view config_files_histories as
    select ${instant('c.at')} as timestamp, c.filename, c.data from config_histories c;

    create view latest_experiment as
    select e.name as experiment, ${instant('e.created_at')} as created_at, e.description,
      round((unixepoch('now', 'subsec') * 1000.0 - e.created_at) / 3600000.0, 2) as delta_hours
    from experiments e where e.deleting_at is null order by e.id desc limit 1;
  `,
} as const;

/** Corrections for doses without effect are marked: their volume is below 0, and `correction` names the reason. */
export const dosingCorrectionsMigration = {
  set: 'leader',
  id: 5,
  name: 'dosing events name corrections',
  upPostgres: viewsAreElsewhere,
  up: `
    drop view dosing_events;
    create view dosing_events as
    select ${prefix('v.reactor_unit', 'v.at')}, ${field('event')} as event,
      ${field('volume_change_ml')} as volume_change_ml, v.source as source_of_event,
      ${field('correction.reason')} as correction
    ${eventsNamed('dosing')};
  `,
} as const;

/** Single conversions of the photodiodes, recorded on request. */
export const conversionsViewMigration = {
  set: 'leader',
  id: 6,
  name: 'conversions of the photodiodes',
  upPostgres: viewsAreElsewhere,
  up: sampleView('od_conversions', 'volts', 'od_conversion', true),
} as const;
