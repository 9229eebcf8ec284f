import { clusterExperiment } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import type { LeaderDatabase } from '../core/leader-context.ts';

/** A name never changes, but an experiment may be deleted: it is looked up again after this time. */
const keptMs = 5_000;

/** Names of experiments by uid, for events that occur many times a second. */
export class ExperimentNames {
  readonly #database: LeaderDatabase;
  readonly #wire: Clock;
  readonly #kept = new Map<string, { readonly name: string | undefined; readonly untilMs: number }>();

  constructor(database: LeaderDatabase, wire: Clock) {
    this.#database = database;
    this.#wire = wire;
  }

  /** The names of the existing experiments; that of the cluster is its own. */
  async of(uids: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const requested = new Set(uids);
    const now = this.#wire.monotonic();
    const unknown = [...requested].filter((uid) => {
      const kept = this.#kept.get(uid);
      return uid !== clusterExperiment && (kept === undefined || kept.untilMs <= now);
    });
    if (unknown.length > 0) await this.#read(unknown, now + keptMs);
    const names = new Map<string, string>();
    for (const uid of requested) {
      const name = uid === clusterExperiment ? clusterExperiment : this.#kept.get(uid)?.name;
      if (name !== undefined) names.set(uid, name);
    }
    return names;
  }

  async #read(uids: readonly string[], untilMs: number): Promise<void> {
    const rows = await this.#database.read
      .selectFrom('experiments')
      .where('uid', 'in', uids)
      .where('deleting_at', 'is', null)
      .select(['uid', 'name'])
      .execute();
    const names = new Map(rows.map(({ uid, name }) => [uid, name]));
    for (const uid of uids) this.#kept.set(uid, { name: names.get(uid), untilMs });
  }
}
