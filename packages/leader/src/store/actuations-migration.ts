/** Actuations are events; these are indexes for their queries: newest first, also of one output. */
export const actuationsMigration = {
  set: 'actuations',
  id: 1,
  name: 'ways to the record of actuations',
  up: `
    create index actuations_by_time on events (at, id) where name = 'actuation';
    create index actuations_by_unit on events (reactor_unit, at, id) where name = 'actuation';
    create index actuations_by_unit_output on events (reactor_unit, json_extract(data, '$.output'), at, id)
      where name = 'actuation';
    create index actuations_by_experiment on events (experiment_uid, at, id) where name = 'actuation';
    create index actuations_by_experiment_output on events (experiment_uid, json_extract(data, '$.output'), at, id)
      where name = 'actuation';
  `,
} as const;
