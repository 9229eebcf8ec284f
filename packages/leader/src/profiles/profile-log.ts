import type { LogLevel } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import { type LeaderContext, systemExperiment } from '../core/leader-context.ts';
import { experimentKey } from '../queries/experiments.ts';

type Needs = Pick<LeaderContext, 'change' | 'clock' | 'leader' | 'log'>;

/** An event-log entry of a job of the leader. */
export interface LeaderEntry {
  /** A name; entries of an unknown experiment belong to the cluster. */
  readonly experiment: string;
  /** Absent: the leader. */
  readonly unit?: string;
  readonly level: LogLevel;
  readonly message: string;
  /** Name of the activity. */
  readonly task: string;
}

/** Entries of the event log about jobs of the leader's own node, in order. */
export class LeaderJobLog {
  readonly #context: Needs;
  #last: Promise<void> = Promise.resolve();

  constructor(context: Needs) {
    this.#context = context;
  }

  /** Resolves when the entries so far are on disk, or when their failure is in the program's log. */
  get settled(): Promise<void> {
    return this.#last;
  }

  /** Never throws. */
  log(entry: LeaderEntry): void {
    const at = this.#context.clock.now();
    const release = this.#context.clock.hold('an entry of the event log');
    this.#last = this.#last
      .then(() => this.#write(entry, at))
      .catch((error: unknown) =>
        this.#context.log.error('An entry of the event log could not be written', { ...entry, error: String(error) }),
      )
      .finally(release);
  }

  async #write({ experiment, unit, level, message, task }: LeaderEntry, at: number): Promise<void> {
    const { change, leader } = this.#context;
    const reactor_unit = unit ?? leader;
    await change(async (transaction, effects) => {
      const known = await experimentKey(transaction, experiment).executeTakeFirst();
      const name = known?.name ?? systemExperiment;
      const source = 'app';
      await transaction
        .insertInto('logs')
        .values({ experiment_id: known?.id ?? null, experiment: name, reactor_unit, at, level, message, source, task })
        .execute();
      const entry = { message, task, source, level, timestamp: toTimestamp(at) };
      effects.live('log', `${name}/${task}`, { ...entry, reactor_unit, experiment: name });
      effects.mqtt(`reactor/${reactor_unit}/${name}/logs/${source}/${level.toLowerCase()}`, JSON.stringify(entry));
    });
  }
}
