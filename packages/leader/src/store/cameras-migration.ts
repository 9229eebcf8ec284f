export interface CameraTables {
  /** Units that may keep stills of an experiment that is deleted. */
  stills_to_remove: {
    reactor_unit: string;
    experiment_uid: string;
    experiment: string;
  };
}

/** The stills that units have to remove when they are reachable. */
export const camerasMigration = {
  set: 'cameras',
  id: 1,
  name: 'stills of deleted experiments',
  up: `
    create table stills_to_remove (
      reactor_unit text not null,
      experiment_uid text not null,
      experiment text not null,
      primary key (reactor_unit, experiment_uid)
    ) strict, without rowid;
  `,
} as const;
