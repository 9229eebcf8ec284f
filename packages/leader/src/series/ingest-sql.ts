import { rebuildAroundSql } from './rollup-levels.ts';
import { sampleFlags } from './sample-flags.ts';

/** ?1 series, ?2 time, ?3 value, ?4 era or null. A taken time changes nothing: then `moveSql` decides. */
export const insertSampleSql =
  'insert into samples (series_id, at, value, era) values (?1, ?2, ?3, ?4) on conflict do nothing';

/**
 * The first millisecond from ?2 on that has no sample: the one after the first sample without a neighbour. With `not exists`, PostgreSQL compares all
 * samples of the series with each other as long as a table has no statistics: 10 ms for 6,000 samples instead of 0.1 ms.
 */
const freeMoment = `(select s.at + 1 from samples s where s.series_id = ?1 and s.at >= ?2
  and (select 1 from samples next where next.series_id = ?1 and next.at = s.at + 1) is null
  order by s.at limit 1)`;

/** Whether this reading is stored: at its time, or moved. */
const isStored = `(
  exists (select 1 from samples s where s.series_id = ?1 and s.at = ?2 and s.value = ?3 and not exists (
    select 1 from sample_flags f where f.series_id = ?1 and f.at = ?2 and f.moved_from is not null))
  or exists (select 1 from sample_flags f join samples s on s.series_id = f.series_id and s.at = f.at
    where f.series_id = ?1 and f.at > ?2 and f.at < ${freeMoment} and f.moved_from = ?2 and s.value = ?3))`;

const movedTo = `select max(f.at) from sample_flags f
  where ?3 is not null and ?4 is ?4 and f.series_id = ?1 and f.at > ?2 and f.moved_from = ?2
    and f.at < ${freeMoment}`;

/** For a row that `insertSampleSql` did not insert. The flag first: both search the same free time. */
export const moveSql: readonly string[] = [
  `insert into sample_flags (series_id, at, flags, moved_from)
    select ?1, ${freeMoment}, ${sampleFlags.moved}, ?2 where ?4 is ?4 and not ${isStored}
    on conflict (series_id, at) do update set flags = excluded.flags, moved_from = excluded.moved_from`,
  `insert into samples (series_id, at, value, era) select ?1, ${freeMoment}, ?3, ?4 where not ${isStored}`,
];

/** A moved sample may belong to another bucket. */
export const rebuildAroundMovedSql: readonly string[] = rebuildAroundSql(movedTo);

/** ?1 series, ?2 received time, ?3 value, ?4 flags: of a sample at its received time. Changes nothing for others. */
export const flagSampleSql = `insert into sample_flags (series_id, at, flags)
  select ?1, ?2, ?4 where exists (select 1 from samples where series_id = ?1 and at = ?2 and value = ?3)
  on conflict (series_id, at) do update set flags = sample_flags.flags | excluded.flags
  where sample_flags.moved_from is null`;

/** The same for a row that `flagSampleSql` did not flag: the sample was stored at a moved time. */
export const flagMovedSampleSql = `insert into sample_flags (series_id, at, flags)
  select ?1, s.at, ?4 from samples s left join sample_flags f on f.series_id = s.series_id and f.at = s.at
  where s.series_id = ?1 and s.at >= ?2 and s.value = ?3 and ifnull(f.moved_from, s.at) = ?2
  order by s.at limit 1
  on conflict (series_id, at) do update set flags = sample_flags.flags | excluded.flags`;

/** ?1 series, ?2 since, then the four values; nothing when they equal the effective ones. */
export const insertContextSql = `
  insert into series_context (series_id, since, calibration_name, calibration_hash, angle, ir_led_intensity)
  select ?1, ?2, ?3, ?4, ?5, ?6 where not exists (
    select 1 from (select * from series_context where series_id = ?1 and since <= ?2 order by since desc limit 1)
    where calibration_name is ?3 and calibration_hash is ?4 and angle is ?5 and ir_led_intensity is ?6)
  on conflict (series_id, since) do update set calibration_name = ?3, calibration_hash = ?4, angle = ?5, ir_led_intensity = ?6`;

/** A mark never decreases. A new epoch of a unit is the latest one. */
export const moveMarkSql = `insert into feed_marks (reactor_unit, epoch, seq, updated_at, generation)
  values (?1, ?2, ?3, ?4, (select ifnull(max(generation) + 1, 0) from feed_marks where reactor_unit = ?1))
  on conflict (reactor_unit, epoch) do update set seq = excluded.seq, updated_at = excluded.updated_at
  where excluded.seq > feed_marks.seq`;
