import type { PublicViews } from '@lcs/platform';
import { flagNames } from './reading-flags-migration.ts';

/** A time (integer ms, an SQL expression) as an instant in text. */
const instant = (at: string): string => `instant(${at})`;

/** A text as SQLite converts it to a whole number: what does not begin with one is 0. */
const wholeNumber = (text: string): string =>
  `case when ${text} is not null then coalesce(substring(${text} from '^\\s*([+-]?[0-9]+)'), '0')::bigint end`;

const field = (key: string): string => `json_extract(v.data, '$.${key}')`;
/** A number in JSON: whole ones stay whole. */
const number = (key: string): string => `${field(key)}::numeric`;
const moment = (key: string): string => instant(`${field(key)}::bigint`);

const photodiode = `, s.angle, ${wholeNumber('s.channel')} as channel`;

/** Columns of the wide table, each with its source. */
const activityReadings = [
  ['od_reading', 'od'],
  ['od_fused', 'od_fused'],
  ['normalized_od_reading', 'od_filtered'],
  ['temperature_c', 'temperature'],
  ['growth_rate', 'growth_rate'],
  ['measured_rpm', 'stirring_rpm'],
] as const;
const leds = ['A', 'B', 'C', 'D'];
const doses = ['add_media', 'remove_waste', 'add_alt_media'];

const flagText = flagNames
  .map(([bit, name]) => `case when f.flags & ${bit} <> 0 then '${name} ' else '' end`)
  .join(' || ');

/** The same as `withHiddenSecrets`; the tests compare them. */
const hideSecrets = `
  create function hide_secrets(content text) returns text immutable strict language plpgsql as $hide$
  declare
    white constant text := '[\\s\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*';
    lines constant text[] := string_to_array(content, chr(10));
    line_count constant integer := coalesce(array_length(lines, 1), 0);
    written text[] := '{}';
    line text; body text; name text; value text; whole text;
    place integer := 1; delimiter integer; indent integer; behind integer; probe integer;
  begin
    if content = '' then return ''; end if;
    while place <= line_count loop
      line := lines[place];
      delimiter := length(substring(line from '^[^=:]*')) + 1;
      behind := place + 1;
      if delimiter <= length(line) then
        indent := length(substring(line from '^' || white));
        body := substr(line, indent + 1);
        name := regexp_replace(substr(line, 1, delimiter - 1), '^' || white, '');
        name := regexp_replace(regexp_replace(name, white || '$', ''), '^[#;]+' || white, '');
        value := regexp_replace(substr(line, delimiter + 1), '^' || white, '');
        if left(body, 1) not in ('#', ';') or body = '' then
          probe := place + 1;
          while probe <= line_count loop
            if lines[probe] !~ ('^' || white || '$') then
              exit when length(substring(lines[probe] from '^' || white)) <= indent;
              behind := probe + 1;
            end if;
            probe := probe + 1;
          end loop;
        end if;
        if name ~* '(^|_)(password|passphrase|api_?key|secret|token)$'
          and not (value ~ ('^' || white || '$') and behind = place + 1)
        then
          whole := array_to_string(array[value] || lines[place + 1 : behind - 1], chr(10));
          line := substr(line, 1, length(line) - length(value)) || '********'
            || case when right(whole, 1) = chr(13) then chr(13) else '' end;
        else
          behind := place + 1;
        end if;
      end if;
      written := written || line;
      place := behind;
    end loop;
    return array_to_string(written, chr(10));
  end $hide$;`;

/**
 * What people may read on PostgreSQL: the views of the migrations for SQLite, and those of `SqliteClassicConnection`, under the same names
 * and with the same columns.
 */
export const postgresViews: PublicViews = (store) => {
  const existing = (uid: string): string => `join ${store}.experiments e on e.uid = ${uid} and e.deleting_at is null`;
  const readingsOf = (view: string, column: string, source: string, channels = '') => `
    create view ${view} as
    select e.name as experiment, s.unit as reactor_unit, ${instant('x.at')} as timestamp, x.value as ${column}${channels}
    from ${store}.series s
    ${existing('s.experiment_uid')}
    join ${store}.samples x on x.series_id = s.id
    where s.source = '${source}' and s.hidden = 0;`;
  const eventsOf = (view: string, columns: string, condition: string) => `
    create view ${view} as
    select e.name as experiment, v.reactor_unit, ${instant('v.at')} as timestamp, ${columns}
    from ${store}.events v
    ${existing('v.experiment_uid')}
    where ${condition};`;
  return `
  create function instant(at bigint) returns text immutable strict parallel safe language sql as $instant$
    select to_char(timestamp '1970-01-01' + at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $instant$;
  create function base64(content text) returns text immutable strict parallel safe language sql as
    $base64$ select convert_from(decode(content, 'base64'), 'UTF8') $base64$;
  create function to_base64(content text) returns text immutable strict parallel safe language sql as
    $base64$ select replace(encode(convert_to(content, 'UTF8'), 'base64'), chr(10), '') $base64$;
  ${hideSecrets}

  ${readingsOf('od_readings', 'od_reading', 'od', photodiode)}
  ${readingsOf('raw_od_readings', 'od_reading', 'raw_od', photodiode)}
  ${readingsOf('od_blanks', 'od_reading', 'od_blank', photodiode)}
  ${readingsOf('od_conversions', 'volts', 'od_conversion', photodiode)}
  ${readingsOf('od_readings_fused', 'od_reading', 'od_fused')}
  ${readingsOf('od_readings_filtered', 'normalized_od_reading', 'od_filtered')}
  ${readingsOf('growth_rates', 'rate', 'growth_rate')}
  ${readingsOf('growth_rate_deviations', 'rate_sd', 'growth_rate_sd')}
  ${readingsOf('temperature_readings', 'temperature_c', 'temperature')}
  ${readingsOf('stirring_rates', 'measured_rpm', 'stirring_rpm')}
  ${readingsOf('ir_led_intensities', 'relative_intensity', 'ir_led_relative_intensity')}
  ${readingsOf('alt_media_fractions', 'alt_media_fraction', 'alt_media_fraction')}
  ${readingsOf('liquid_volumes', 'liquid_volume', 'liquid_volume')}

  create view pwm_dcs as
  select e.name as experiment, s.unit as reactor_unit, ${instant('x.at')} as timestamp,
    ${['1', '2', '3', '4', '5'].map((one) => `max(case s.channel when '${one}' then x.value end) as channel_${one}`).join(', ')}
  from ${store}.series s
  ${existing('s.experiment_uid')}
  join ${store}.samples x on x.series_id = s.id
  where s.source = 'pwm_duty' and s.hidden = 0
  group by s.experiment_uid, e.name, s.unit, x.at;

  create view reading_flags as
  select e.name as experiment, s.unit as reactor_unit, ${instant('f.at')} as timestamp, s.source,
    ${wholeNumber('s.channel')} as channel, s.angle, trim(${flagText}) as flags
  from ${store}.series s
  ${existing('s.experiment_uid')}
  join ${store}.sample_flags f on f.series_id = s.id
  where s.hidden = 0;

  ${eventsOf(
    'dosing_events',
    `${field('event')} as event, ${number('volume_change_ml')} as volume_change_ml, v.source as source_of_event,
      ${field('correction.reason')} as correction`,
    "v.name = 'dosing'",
  )}
  ${eventsOf(
    'led_change_events',
    `${field('channel')} as channel, ${number('intensity')} as intensity, v.source as source_of_event`,
    "v.name = 'led_change'",
  )}
  ${['dosing', 'led', 'temperature']
    .map(
      (kind) => `
  ${eventsOf(
    `${kind}_automation_events`,
    `${field('event_name')} as event_name, v.message, ${field('data')} as data`,
    `v.name = 'automation' and ${field('kind')} = '${kind}'`,
  )}
  create view ${kind}_automation_settings as
  select distinct on (v.experiment_uid, v.reactor_unit, ${field('started_at')}, ${field('automation_name')})
    e.name as experiment, v.reactor_unit, ${moment('started_at')} as started_at, ${moment('ended_at')} as ended_at,
    ${field('automation_name')} as automation_name, to_base64(${field('settings')}) as settings
  from ${store}.events v
  ${existing('v.experiment_uid')}
  where v.name = 'automation_settings' and ${field('kind')} = '${kind}'
  order by v.experiment_uid, v.reactor_unit, ${field('started_at')}, ${field('automation_name')},
    ${field('ended_at')}::bigint desc nulls last, v.id desc;`,
    )
    .join('\n')}

  create view reactor_unit_activity_data as
  select e.name as experiment, m.unit as reactor_unit, ${instant('m.at')} as timestamp,
    ${activityReadings.map(([column, source]) => `max(case m.what when '${source}' then m.value end) as ${column}`).join(', ')},
    ${leds.map((led) => `max(case m.what when 'led ${led}' then m.value end) as led_${led.toLowerCase()}_intensity_update`).join(', ')},
    ${doses.map((dose) => `sum(case m.what when 'dose ${dose}' then m.value end) as ${dose}_ml`).join(', ')}
  from (
    select s.experiment_uid as uid, s.unit, x.at, s.source as what, x.value
    from ${store}.series s join ${store}.samples x on x.series_id = s.id
    where s.source in (${activityReadings.map(([, source]) => `'${source}'`).join(', ')}) and s.hidden = 0
    union all
    select v.experiment_uid, v.reactor_unit, v.at, 'led ' || ${field('channel')}, ${field('intensity')}::double precision
    from ${store}.events v where v.name = 'led_change'
    union all
    select v.experiment_uid, v.reactor_unit, v.at, 'dose ' || ${field('event')},
      ${field('volume_change_ml')}::double precision
    from ${store}.events v where v.name = 'dosing'
  ) m
  ${existing('m.uid')}
  group by m.uid, e.name, m.unit, m.at;

  create view reactor_unit_activity_data_rollup as
  select experiment, reactor_unit, substr(timestamp, 1, 16) || ':00.000Z' as timestamp,
    ${activityReadings.map(([column]) => `avg(${column}) as avg_${column}`).join(', ')},
    ${doses.map((dose) => `sum(${dose}_ml) as sum_${dose}_ml`).join(', ')}
  from reactor_unit_activity_data group by 1, 2, 3;

  create view event_logs as
  select l.experiment, l.reactor_unit, ${instant('l.at')} as timestamp, l.message, l.source, l.level, l.task
  from ${store}.logs l
  where l.experiment_id is null
    or exists (select 1 from ${store}.experiments e where e.id = l.experiment_id and e.deleting_at is null);
  create view logs as select * from event_logs;

  create view experiments as
  select e.name as experiment, ${instant('e.created_at')} as created_at, e.description
  from ${store}.experiments e where e.deleting_at is null;

  create view latest_experiment as
  select e.name as experiment, ${instant('e.created_at')} as created_at, e.description,
    round((extract(epoch from clock_timestamp()) * 1000.0 - e.created_at) / 3600000.0, 2)::double precision as delta_hours
  from ${store}.experiments e where e.deleting_at is null order by e.id desc limit 1;

  create view experiment_tags as
  select e.name as experiment, t.tag, ${instant('e.created_at')} as created_at
  from ${store}.experiment_tags t join ${store}.experiments e on e.id = t.experiment_id and e.deleting_at is null
  order by e.id, t.position;

  create view experiment_notes as
  select e.name as experiment, n.reactor_unit, ${instant('n.at')} as timestamp, n.kind, n.text, n.volume_ml, n.author
  from ${store}.experiment_notes n join ${store}.experiments e on e.id = n.experiment_id and e.deleting_at is null;

  create view experiment_profile_runs as
  select e.name as experiment, ${instant('r.started_at')} as started_at, r.experiment_profile_name
  from ${store}.profile_runs r join ${store}.experiments e on e.id = r.experiment_id and e.deleting_at is null;

  create view experiment_worker_assignments as
  select a.reactor_unit, e.name as experiment, ${instant('a.assigned_at')} as assigned_at
  from ${store}.assignments a join ${store}.experiments e on e.id = a.experiment_id;

  create view experiment_worker_assignments_history as
  select h.reactor_unit, h.experiment, ${instant('h.assigned_at')} as assigned_at,
    ${instant('h.unassigned_at')} as unassigned_at
  from ${store}.assignment_history h;

  create view reactor_unit_labels as
  select e.name as experiment, l.reactor_unit, l.label, ${instant('l.created_at')} as created_at
  from ${store}.unit_labels l join ${store}.experiments e on e.id = l.experiment_id and e.deleting_at is null;

  create view config_files_histories as
  select ${instant('h.at')} as timestamp, h.filename, hide_secrets(h.data) as data from ${store}.config_histories h;

  create view gaps as
  select g.reactor_unit, ${instant('g.from_at')} as from_at, ${instant('g.to_at')} as to_at, g.reason,
    g.to_seq - g.from_seq + 1 as records, g.dropped
  from ${store}.gaps g
  union all
  select v.reactor_unit, ${moment('last_record_at')}, ${instant('v.at')},
    case ${field('clean')} when '1' then 'unit_stopped' else 'unit_off' end, null, null
  from ${store}.events v where v.experiment_uid = '$experiment' and v.name = 'node_started'
    and json_type(v.data, '$.last_record_at') = 'integer';

  create view calibrations as
  select c.reactor_unit, ${instant('c.created_at')} as created_at, c.type, c.data, c.name, c.is_current,
    ${instant('c.set_to_current_at')} as set_to_current_at, ${instant('c.copied_at')} as copied_at
  from ${store}.calibrations c;
  `;
};
