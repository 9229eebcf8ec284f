import { dayMs } from '@lcs/contract';
import type { Cancel, Service } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';

/** Retention of cleared alarms: a year and a month, so that the alarms of a run can be looked up; it limits the space on the disk. Chosen. */
const clearedKeptMs = 400 * dayMs;
/** Rows that one write removes: it delays readings only briefly. */
const batch = 500;

/** Removes alarms that were cleared long ago, with their history. */
export class AlarmRetention implements Service {
  readonly name = 'retention of alarms';
  readonly #context: Pick<LeaderContext, 'clock' | 'database' | 'log'>;
  #cancel: Cancel = () => {};
  #running: Promise<void> | undefined;
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
    await this.#running;
  }

  #begin(): void {
    if (this.#running !== undefined) return;
    const release = this.#context.clock.hold('old alarms');
    this.#running = this.#removeOld()
      .catch((error: unknown) => this.#context.log.error('Old alarms could not be removed', { error: String(error) }))
      .finally(() => {
        this.#running = undefined;
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
