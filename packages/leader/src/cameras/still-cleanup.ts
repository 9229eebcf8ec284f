import type { Cancel, Service } from '@lcs/platform';
import { sql } from 'kysely';
import type { LeaderContext } from '../core/leader-context.ts';
import type { OnMarked } from '../experiments/experiment-deletion.ts';
import { workerNames } from '../queries/workers.ts';

type Needs = Pick<LeaderContext, 'database' | 'fleet' | 'units' | 'desired' | 'wire' | 'log'>;

interface DueRemoval {
  readonly reactor_unit: string;
  readonly experiment_uid: string;
  readonly experiment: string;
}

/** Interval between attempts on units that were unreachable. */
const againMs = 5_000;
/** A program that is older than the support for cameras. */
const unknownRoute = 404;

/**
 * Makes units remove the stills of deleted experiments. A pending removal is on disk with the deletion itself until the unit has confirmed
 * it: an unreachable unit does it when it returns.
 */
export class StillCleanup implements Service {
  readonly name = 'stills of deleted experiments';
  readonly #needs: Needs;
  #cancel: Cancel = () => {};
  #isUp = false;
  #isAskedAgain = false;
  #working: Promise<void> | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  async start(): Promise<void> {
    this.#isUp = true;
    this.#cancel = this.#needs.wire.every(againMs, () => this.#check());
    this.#check();
  }

  async stop(): Promise<void> {
    this.#isUp = false;
    this.#cancel();
    await this.#working;
  }

  /** Call it in the change that marks an experiment as deleted: all units that ever were in it have stills to remove. */
  readonly onDeleted: OnMarked = async (transaction, effects, experimentId) => {
    await sql`insert into stills_to_remove (reactor_unit, experiment_uid, experiment)
      select distinct h.reactor_unit, e.uid, e.name from assignment_history h join experiments e on e.id = h.experiment_id
      where e.id = ${experimentId}
      on conflict do nothing`.execute(transaction);
    effects.afterCommit(() => this.#check());
  };

  #check(): void {
    if (!this.#isUp) return;
    if (this.#working !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isAskedAgain = false;
    this.#working = this.#removeDue()
      .catch((error: unknown) =>
        this.#needs.log.error('The check for stills of deleted experiments failed', { error: String(error) }),
      )
      .finally(() => {
        this.#working = undefined;
        if (this.#isAskedAgain) this.#check();
      });
  }

  async #removeDue(): Promise<void> {
    const { database, units, desired } = this.#needs;
    const due = await database.read.selectFrom('stills_to_remove').selectAll().execute();
    if (due.length === 0) return;
    const workers = new Set(await workerNames(database.read));
    for (const left of due.filter(({ reactor_unit }) => !workers.has(reactor_unit))) await this.#isDone(left);
    const there = due.filter(
      ({ reactor_unit: unit }) => workers.has(unit) && units.statusOf(unit)?.liveness === 'online',
    );
    if (there.length === 0) return;
    // First the units must receive the deletion, or they would continue to take stills.
    const unreached = new Set(await desired.deliverNow([...new Set(there.map(({ reactor_unit }) => reactor_unit))]));
    await Promise.all(
      there.filter(({ reactor_unit }) => !unreached.has(reactor_unit)).map((one) => this.#removeFrom(one)),
    );
  }

  async #removeFrom(due: DueRemoval): Promise<void> {
    const { reactor_unit: unit, experiment, experiment_uid: uid } = due;
    const query = new URLSearchParams({ experiment_uid: uid });
    const path = `/unit_api/camera/experiments/${encodeURIComponent(experiment)}/stills?${query}`;
    const command = { unit, method: 'DELETE', path, body: {} } as const;
    const { [unit]: outcome } = await this.#needs.fleet.command([command], { lane: 'command' });
    const hasNone = outcome?.ok === false && outcome.status_code === unknownRoute;
    if (outcome?.ok === true || hasNone) await this.#isDone(due);
  }

  async #isDone({ reactor_unit, experiment_uid }: DueRemoval): Promise<void> {
    await this.#needs.database.write((transaction) =>
      transaction
        .deleteFrom('stills_to_remove')
        .where('reactor_unit', '=', reactor_unit)
        .where('experiment_uid', '=', experiment_uid)
        .execute(),
    );
  }
}
