import type { SqlReader } from '@lcs/platform/sql-reader';

/** The source of the rows of one file. */
export interface Partition {
  readonly experiment: string;
  readonly reactor_unit: string;
}

export const allExperiments = 'all_experiments';
export const allUnits = 'all_units';

/** Names of data files; equal ones are distinguished by a number. */
export class FileNames {
  readonly #given = new Set<string>();
  readonly #moment: string;
  readonly #ending: string;

  /** `moment` is the start of the export, as 14 digits of local time. */
  constructor(moment: string, ending: string) {
    this.#moment = moment;
    this.#ending = ending;
  }

  of(dataset: string, { experiment, reactor_unit: unit }: Partition): string {
    const stem = `${dataset}-${experiment}-${unit}-${this.#moment}`.replaceAll(/[\s/\\:]/g, '_');
    for (let number = 1; ; number += 1) {
      const name = `${dataset}/${stem}${number === 1 ? '' : `-${number}`}.${this.#ending}`;
      if (this.#given.has(name)) continue;
      this.#given.add(name);
      return name;
    }
  }
}

/** The creation times of the existing experiments, ms, by name. */
export const creationOfExperiments = (database: SqlReader): ReadonlyMap<string, number> =>
  new Map(
    database
      .prepare('select name, created_at from main.experiments where deleting_at is null')
      .all()
      .map(({ name, created_at }) => [String(name), Number(created_at)]),
  );
