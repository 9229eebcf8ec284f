import type { Json } from '@lcs/contract';
import type { JobContext } from '@lcs/node';
import type { JobMemory } from '../shared/job-memory.ts';

/** The state of one automation that survives a power cut. */
export interface DosingMemory {
  /** What its rule remembers; undefined: nothing was kept. */
  readonly rule: Json | undefined;
  /** Time of the last evaluation, milliseconds since 1970; undefined: never. */
  readonly evaluatedAtMs: number | undefined;
}

/** Of the experiment that the job runs in. */
export class KeptDosing {
  readonly #memory: JobMemory;
  readonly #place: string;
  readonly #key: string;

  constructor(
    memory: JobMemory,
    { experimentUid, experiment }: Pick<JobContext, 'experimentUid' | 'experiment'>,
    automationName: string,
  ) {
    this.#memory = memory;
    this.#place = experimentUid ?? experiment;
    this.#key = `dosing_automation.${automationName}`;
  }

  read(): DosingMemory {
    const kept = this.#memory.read(this.#place, this.#key);
    if (typeof kept !== 'object' || kept === null || !('looked_at' in kept))
      return { rule: undefined, evaluatedAtMs: undefined };
    const { looked_at: evaluatedAtMs, rule } = kept;
    return { rule, evaluatedAtMs: typeof evaluatedAtMs === 'number' ? evaluatedAtMs : undefined };
  }

  write(evaluatedAtMs: number, rule: Json): void {
    this.#memory.write(this.#place, this.#key, { looked_at: evaluatedAtMs, rule });
  }
}
