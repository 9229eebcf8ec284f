import { dayMs } from '@lcs/contract';
import type { Cancel, Service } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';

/** Chosen: what happened in a run can be looked up for a year and a month; units that come and go must not fill the disk. */
const clearedKeptMs = 400 * dayMs;
/** Removed in one write; readings wait for no longer one. */
const batch = 500;

/** Removes alarms that were cleared long ago, with their history. */
export class AlarmRetention implements Service {
  readonly name = 'retention of alarms';
  readonly #context: Pick<LeaderContext, 'clock' | 'database' | 'log'>;
  #cancel: Cancel = () => {};
  #underWay: Promise<void> | undefined;
  #isUp = false;

  constructor(context: Pick<LeaderContext, 'clock' | 'database' | 'log'>) {
    this.#context = context;
  }

  async start(): Promise<void> {
    this.#isUp = true;
    this.#cancel = this.#context.clock.every(dayMs, () => this.#begin());
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#isUp = false;
    this.#cancel();
    await this.#underWay;
  }

  #begin(): void {
    if (this.#underWay !== undefined) return;
    const release = this.#context.clock.hold('old alarms');
    this.#underWay = this.#removeOld()
      .catch((error: unknown) => this.#context.log.error('Old alarms could not be removed', { error: String(error) }))
      .finally(() => {
        this.#underWay = undefined;
        release();
      });
  }

  async #removeOld(): Promise<void> {
    const { clock, database } = this.#context;
    const before = Math.floor(clock.now()) - clearedKeptMs;
    for (let removed = batch; removed === batch && this.#isUp; ) {
      const outcome = await database.write((transaction) =>
        transaction
          .deleteFrom('alarms')
          .where('id', 'in', (from) =>
            from.selectFrom('alarms').where('cleared_at', '<', before).orderBy('id').limit(batch).select('id'),
          )
          .executeTakeFirst(),
      );
      removed = Number(outcome.numDeletedRows);
    }
  }
}
