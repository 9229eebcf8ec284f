/** This text is frozen: the program may change, but not the migration of existing stores. */
const instant = (at: string): string =>
  `strftime('%Y-%m-%dT%H:%M:%S', ${at} / 1000, 'unixepoch') || printf('.%03dZ', ${at} % 1000)`;

const visible = (source: string): string => `
  from series s
  join experiments e on e.uid = s.experiment_uid and e.deleting_at is null
  join samples x on x.series_id = s.id
  where s.source = '${source}' and s.hidden = 0`;

const view = (name: string, column: string, source: string): string => `
  create view ${name} as
  select e.name as experiment, s.unit as reactor_unit, ${instant('x.at')} as timestamp, x.value as ${column}
  ${visible(source)};`;

const readings = [
  ['od_reading', 'od'],
  ['od_fused', 'od_fused'],
  ['normalized_od_reading', 'od_filtered'],
  ['temperature_c', 'temperature'],
  ['growth_rate', 'growth_rate'],
  ['measured_rpm', 'stirring_rpm'],
] as const;
const leds = ['A', 'B', 'C', 'D'];
const doses = ['add_media', 'remove_waste', 'add_alt_media'];
const field = (key: string): string => `json_extract(v.data, '$.${key}')`;

const activity = `
  create view reactor_unit_activity_data as
  select e.name as experiment, m.unit as reactor_unit, ${instant('m.at')} as timestamp,
    ${readings.map(([column, source]) => `max(case m.what when '${source}' then m.value end) as ${column}`).join(', ')},
    ${leds.map((led) => `max(case m.what when 'led ${led}' then m.value end) as led_${led.toLowerCase()}_intensity_update`).join(', ')},
    ${doses.map((dose) => `sum(case m.what when 'dose ${dose}' then m.value end) as ${dose}_ml`).join(', ')}
  from (
    select s.experiment_uid as uid, s.unit as unit, x.at as at, s.source as what, x.value as value
    from series s
    join samples x on x.series_id = s.id
    where s.source in (${readings.map(([, source]) => `'${source}'`).join(', ')}) and s.hidden = 0
    union all
    select v.experiment_uid, v.reactor_unit, v.at, 'led ' || ${field('channel')}, ${field('intensity')}
    from events v where v.name = 'led_change'
    union all
    select v.experiment_uid, v.reactor_unit, v.at, 'dose ' || ${field('event')}, ${field('volume_change_ml')}
    from events v where v.name = 'dosing'
  ) m
  join experiments e on e.uid = m.uid and e.deleting_at is null
  group by m.uid, m.unit, m.at;

  create view reactor_unit_activity_data_rollup as
  select experiment, reactor_unit, substr(timestamp, 1, 16) || ':00.000Z' as timestamp,
    ${readings.map(([column]) => `avg(${column}) as avg_${column}`).join(', ')},
    ${doses.map((dose) => `sum(${dose}_ml) as sum_${dose}_ml`).join(', ')}
  from reactor_unit_activity_data
  group by 1, 2, 3;`;

const flagNames: readonly (readonly [bit: number, name: string])[] = [
  [1, 'unsynced'],
  [2, 'moved'],
  [4, 'saturated'],
  [8, 'outlier'],
  [16, 'corrected'],
  [32, 'simulated'],
  [64, 'out_of_range'],
  [128, 'reference_unstable'],
  [256, 'no_stir_bar'],
  [512, 'bubbles'],
  [1024, 'vial_out'],
  [2048, 'led_failing'],
];
const flagText = flagNames.map(([bit, name]) => `case when f.flags & ${bit} then '${name} ' else '' end`).join(' || ');

const hiddenColumn = 'alter table series add column hidden integer not null default 0 check (hidden in (0, 1));';

/** Of several derivations of one source, each experiment has its own active one. */
export const derivationsMigration = {
  set: 'derivations',
  id: 1,
  name: 'which computed series are shown',
  upPostgres: hiddenColumn,
  up: `
    ${hiddenColumn}

    drop view reactor_unit_activity_data_rollup;
    drop view reactor_unit_activity_data;
    drop view growth_rates;
    drop view od_readings_filtered;
    ${view('growth_rates', 'rate', 'growth_rate')}
    ${view('growth_rate_deviations', 'rate_sd', 'growth_rate_sd')}
    ${view('od_readings_filtered', 'normalized_od_reading', 'od_filtered')}
    ${activity}

    create view reading_flags as
    select e.name as experiment, s.unit as reactor_unit, ${instant('f.at')} as timestamp, s.source as source,
      cast(s.channel as integer) as channel, s.angle as angle, trim(${flagText}) as flags
    from series s
    join experiments e on e.uid = s.experiment_uid and e.deleting_at is null
    join sample_flags f on f.series_id = s.id
    where s.hidden = 0;
  `,
} as const;

/**
 * Values that a unit computes after a recomputation are a separate part: it is shown after the end of the new series. 0 is the part that is
 * being written; a closed one has its own number, so that the index stays unique.
 */
export const seriesPartsMigration = {
  set: 'derivations',
  id: 2,
  name: 'parts of computed series',
  up: `
    alter table series add column part integer not null default 0;
    drop index series_by_meaning;
    create unique index series_by_meaning on series
      (experiment_uid, source, unit, ifnull(channel, ''), ifnull(angle, 0), ifnull(derivation_id, 0), part);
  `,
} as const;
