import type { DatabaseSync } from 'node:sqlite';

/** What belongs to the cluster itself has a name instead of a uid. */
const existingUid = "select uid from experiments union all select '$experiment'";
const existingId = 'select id from experiments';

/** What must find nothing, by what it would mean. */
const questions: Readonly<Record<string, string>> = {
  'a worker with two open stretches': `select reactor_unit from assignment_history where unassigned_at is null
    group by reactor_unit having count(*) > 1`,
  'an open stretch without an assignment': `select h.reactor_unit from assignment_history h left join assignments a
    on a.reactor_unit = h.reactor_unit and a.experiment_id = h.experiment_id
    where h.unassigned_at is null and a.reactor_unit is null`,
  'an assignment without an open stretch': `select a.reactor_unit from assignments a left join assignment_history h
    on a.reactor_unit = h.reactor_unit and a.experiment_id = h.experiment_id and h.unassigned_at is null
    where h.id is null`,
  'a stretch that ends before it begins': 'select id from assignment_history where unassigned_at < assigned_at',
  'an assignment to what is being deleted': `select a.reactor_unit from assignments a join experiments e
    on e.id = a.experiment_id where e.deleting_at is not null`,
  'an assignment of no worker':
    'select reactor_unit from assignments where reactor_unit not in (select reactor_unit from workers)',
  // Ended stretches stay for ever, with the name of their experiment.
  'an open stretch of no experiment': `select id from assignment_history
    where unassigned_at is null and experiment_id not in (${existingId})`,
  'tags of no experiment': `select tag from experiment_tags where experiment_id not in (${existingId})`,
  'labels of no experiment': `select label from unit_labels where experiment_id not in (${existingId})`,
  'charts of no experiment': `select 1 from chart_preferences where experiment_id not in (${existingId})`,
  'groups of no experiment': `select id from replicate_group_versions where experiment_id not in (${existingId})`,
  'notes of no experiment': `select id from experiment_notes where experiment_id not in (${existingId})`,
  'log entries of no experiment': `select id from logs where experiment_id is not null and experiment_id not in (${existingId})`,
  'runs of no experiment': `select id from profile_runs where experiment_id not in (${existingId})`,
  'steps of no run': 'select 1 from profile_steps where run_id not in (select id from profile_runs)',
  'changes of no run': 'select 1 from profile_changes where run_id not in (select id from profile_runs)',
  'series of no experiment': `select id, experiment_uid, unit, source from series where experiment_uid not in (${existingUid})`,
  'samples of no series': 'select 1 from samples where series_id not in (select id from series)',
  'flags of no series': 'select 1 from sample_flags where series_id not in (select id from series)',
  'contexts of no series': 'select 1 from series_context where series_id not in (select id from series)',
  'minutes of no series': 'select 1 from rollup_1m where series_id not in (select id from series)',
  'ten minutes of no series': 'select 1 from rollup_10m where series_id not in (select id from series)',
  'hours of no series': 'select 1 from rollup_1h where series_id not in (select id from series)',
  'series from an unknown derivation': `select id from series
    where derivation_id is not null and derivation_id not in (select id from derivations)`,
  'events of no experiment': `select id, experiment_uid, name, message from events where experiment_uid not in (${existingUid})`,
  'settings of no experiment': `select * from last_known where experiment_uid not in (${existingUid})`,
  'an enrolment under two names': `select machine_id from enrolments group by machine_id having count(*) > 1`,
};

/** What is in the store and must not be. `isAtRest`: no experiment is being deleted. */
export function orphans(store: DatabaseSync): readonly string[] {
  const found = Object.entries(questions).flatMap(([meaning, sql]) => {
    const rows = store.prepare(sql).all();
    return rows.length > 0 ? [`${meaning}: ${JSON.stringify(rows.slice(0, 3))}`] : [];
  });
  const broken = store.prepare('pragma foreign_key_check').all();
  return broken.length > 0 ? [...found, `foreign keys: ${JSON.stringify(broken.slice(0, 3))}`] : found;
}
