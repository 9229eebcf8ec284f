import { systemExperiment } from '../core/leader-context.ts';

/** The statements of a batch besides samples. Each may run again with the same values: the second time it does nothing. */

export const insertEventSql = `
  insert into events (experiment_uid, reactor_unit, at, name, source, message, data, machine_id, boot, mono, flags)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) on conflict do nothing`;

export const insertLogSql = `
  insert into logs (experiment_id, experiment, reactor_unit, at, level, message, source, task, machine_id, boot, mono)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) on conflict do nothing`;

export const insertGapSql = `
  insert into gaps (reactor_unit, epoch, from_seq, to_seq, from_at, to_at, dropped, reason, machine_id, boot, mono)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) on conflict do nothing`;

/** Of one machine the later record counts, whatever the clock did meanwhile; of two machines the later time. */
export const rememberSql = `
  insert into last_known (reactor_unit, experiment_uid, job_name, setting, job_id, value, at, machine_id, boot, mono)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
  on conflict (reactor_unit, experiment_uid, job_name, setting)
  do update set job_id = excluded.job_id, value = excluded.value, at = excluded.at,
    machine_id = excluded.machine_id, boot = excluded.boot, mono = excluded.mono
  where case when last_known.machine_id = excluded.machine_id
    then (excluded.boot, excluded.mono) > (last_known.boot, last_known.mono) else excluded.at >= last_known.at end`;

/** ?1 uid, ?2 records. Must not run twice for the same records: the mark ensures that. */
export const countDroppedSql = 'update deleted_experiments set dropped = dropped + ?2 where uid = ?1';

export const forgetHolesSql = 'delete from feed_holes where reactor_unit = ?1 and epoch = ?2';

export const insertHoleSql = `
  insert into feed_holes (reactor_unit, epoch, from_seq, to_seq, head_seq, to_at) values (?1, ?2, ?3, ?4, ?5, ?6)`;

/** ?1 unit, ?2 at, ?3 message, ?4 uid. Logged once for each uid. */
export const logUnknownSql = `
  insert into logs (experiment_id, experiment, reactor_unit, at, level, message, source, task)
  select null, '${systemExperiment}', ?1, ?2, 'ERROR', ?3, 'app', 'feed'
  where not exists (select 1 from unknown_experiments where uid = ?4)`;

export const rememberUnknownSql =
  'insert into unknown_experiments (uid, reactor_unit, seen_at) values (?1, ?2, ?3) on conflict do nothing';

/** ?1 unit, ?2 at, ?3 message, ?4 epoch. Logged once for each epoch; run it before the gap is recorded. */
export const logSeriesLimitSql = `
  insert into logs (experiment_id, experiment, reactor_unit, at, level, message, source, task)
  select null, '${systemExperiment}', ?1, ?2, 'ERROR', ?3, 'app', 'feed'
  where not exists (select 1 from gaps where reactor_unit = ?1 and epoch = ?4 and reason = 'series_limit')`;

/** ?1 unit, ?2 epoch, ?3 to_seq, ?4 to_at. One gap per epoch grows, instead of one per batch. */
export const growSeriesLimitSql = `
  update gaps set to_seq = ?3, to_at = max(to_at, ?4)
  where reactor_unit = ?1 and epoch = ?2 and reason = 'series_limit' and to_seq < ?3`;

/** ?1 unit, ?2 epoch, ?3 from_seq, ?4 to_seq, ?5 from_at, ?6 to_at. */
export const beginSeriesLimitSql = `
  insert into gaps (reactor_unit, epoch, from_seq, to_seq, from_at, to_at, dropped, reason)
  select ?1, ?2, ?3, ?4, ?5, ?6, '{}', 'series_limit'
  where not exists (select 1 from gaps where reactor_unit = ?1 and epoch = ?2 and reason = 'series_limit')`;

/** ?1 unit, ?2 at, ?3 message. */
export const logHoleSql = `
  insert into logs (experiment_id, experiment, reactor_unit, at, level, message, source, task)
  values (null, '${systemExperiment}', ?1, ?2, 'ERROR', ?3, 'app', 'feed')`;
