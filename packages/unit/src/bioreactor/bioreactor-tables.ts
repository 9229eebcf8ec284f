import type { Migration } from '@lcs/platform';

export interface BioreactorTables {
  bioreactor_values: {
    /** Its uid; of experiments that this unit was never in, the name after `name:`. */
    experiment: string;
    key: string;
    value: number;
  };
}

export const bioreactorMigrations: readonly Migration[] = [
  {
    set: 'bioreactor',
    id: 1,
    name: 'values of the vial by experiment',
    up: `
      create table bioreactor_values (
        experiment text not null,
        key text not null,
        value real not null,
        primary key (experiment, key)
      ) strict, without rowid;
    `,
  },
];
