import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { type CalibrationContent, hourMs, isObject } from '@lcs/contract';
import { InvalidCalibrationFile, readCalibration } from '@lcs/domain';
import type { BulkStatement, Cancel, Service } from '@lcs/platform';
import type { LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import type { BatchSubscriber, FeedBatch } from '../follower/ingest-port.ts';
import { calibrationPaths } from './calibration-tasks.ts';
import { changedCalibrations, hasCalibrationChange } from './changed-calibrations.ts';

type Needs = Pick<LeaderContext, 'database' | 'change' | 'fleet' | 'wire' | 'clock' | 'log'>;

/** Interval between attempts to copy calibrations. */
const againMs = 30_000;
/** Interval between complete copies: people may add files that the unit does not report. */
const allAgainMs = hourMs;

interface Found {
  readonly device: string;
  readonly content: CalibrationContent;
  readonly isActive: boolean;
}

/**
 * The calibrations in the response of `/unit_api/calibrations`, one per name; `onBad` is called for invalid ones.
 * @throws InvalidCalibrationFile for a response of another shape
 */
async function foundIn(answer: unknown, onBad: (device: string, error: unknown) => void): Promise<readonly Found[]> {
  if (!isObject(answer)) throw new InvalidCalibrationFile('', 'The response must be an object.');
  const found = new Map<string, Found>();
  for (const [device, list] of Object.entries(answer)) {
    if (!Array.isArray(list)) throw new InvalidCalibrationFile(device, 'It must be a list.');
    for (const item of list.filter(isObject)) {
      // Validating a long one takes a millisecond, and there may be many.
      await turnOfEventLoop();
      try {
        const content = readCalibration(item);
        // Two files may contain the same name.
        const key = JSON.stringify([device, content.calibration_name]);
        if (!found.has(key)) found.set(key, { device, content, isActive: item.is_active === true });
      } catch (error) {
        onBad(device, error);
      }
    }
  }
  return [...found.values()];
}

/** Copies the calibrations of units into the leader's store whenever a unit reports a change. */
export class CalibrationCopies implements Service, BatchSubscriber {
  readonly name = 'copies of calibrations';
  readonly #needs: Needs;
  readonly #copying = new Map<string, Promise<void>>();
  #cancels: readonly Cancel[] = [];
  #looking: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  async start(): Promise<void> {
    this.#isStopping = false;
    const { wire } = this.#needs;
    this.#cancels = [
      wire.every(againMs, () => this.#check(() => this.#copyDue())),
      wire.every(allAgainMs, () => this.#check(() => this.#copyAll())),
    ];
    this.#check(() => this.#copyAll());
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const cancel of this.#cancels) cancel();
    await this.#looking;
    await Promise.all(this.#copying.values());
  }

  statements(batch: FeedBatch): readonly BulkStatement[] {
    return changedCalibrations(batch, this.#needs.clock.now());
  }

  stored(batch: FeedBatch): void {
    if (!hasCalibrationChange(batch)) return;
    this.#needs.fleet.forget([batch.unit], calibrationPaths);
    void this.#copy(batch.unit);
  }

  /** One check after the other. */
  #check(work: () => Promise<void>): void {
    this.#looking = this.#looking.then(work);
  }

  async #copyAll(): Promise<void> {
    if (this.#isStopping) return;
    const { database, clock, log } = this.#needs;
    try {
      const workers = await database.read.selectFrom('workers').select('reactor_unit').execute();
      const since = Math.floor(clock.now());
      if (workers.length > 0) {
        await database.write((transaction) =>
          transaction
            .insertInto('calibrations_due')
            .values(workers.map(({ reactor_unit }) => ({ reactor_unit, since })))
            .onConflict((conflict) => conflict.column('reactor_unit').doNothing())
            .execute(),
        );
      }
      await this.#copyDue();
    } catch (error) {
      log.error('Calibrations of the units could not be requested', { error: String(error) });
    }
  }

  async #copyDue(): Promise<void> {
    if (this.#isStopping) return;
    try {
      const due = await this.#needs.database.read.selectFrom('calibrations_due').select('reactor_unit').execute();
      await Promise.all(due.map(({ reactor_unit }) => this.#copy(reactor_unit)));
    } catch (error) {
      this.#needs.log.error('The check for changed calibrations failed', { error: String(error) });
    }
  }

  /** One copy of a unit at a time; changes during it are copied next. */
  #copy(unit: string): Promise<void> {
    const before = this.#copying.get(unit) ?? Promise.resolve();
    const copied: Promise<void> = before
      .then(() => this.#copyOnce(unit))
      .catch((error: unknown) =>
        this.#needs.log.warn('The calibrations of a unit could not be copied', { unit, error: String(error) }),
      )
      .finally(() => {
        if (this.#copying.get(unit) === copied) this.#copying.delete(unit);
      });
    this.#copying.set(unit, copied);
    return copied;
  }

  async #copyOnce(unit: string): Promise<void> {
    const { database, change, fleet, clock } = this.#needs;
    if (this.#isStopping) return;
    const due = await database.read
      .selectFrom('calibrations_due')
      .where('reactor_unit', '=', unit)
      .select('since')
      .executeTakeFirst();
    if (due === undefined) return;
    const { [unit]: outcome } = await fleet.read([unit], '/unit_api/calibrations');
    // The leader retries a unit that is unreachable.
    if (outcome?.ok !== true) return;
    const found = await foundIn(outcome.value, (device, error) =>
      this.#needs.log.warn('A calibration of a unit cannot be copied', { unit, device, error: String(error) }),
    );
    await change(async (transaction, effects) => {
      const isChanged = await replaceRows(transaction, unit, found, Math.floor(clock.now()));
      await transaction
        .deleteFrom('calibrations_due')
        .where('reactor_unit', '=', unit)
        .where('since', '=', due.since)
        .execute();
      // Each page that shows them requests those of all units again: not after every complete copy.
      if (isChanged) effects.live('calibrations', unit, { reactor_unit: unit });
    });
  }
}

/** Returns whether another calibration, or another content or use of one, is stored than before. */
async function replaceRows(
  transaction: LeaderTransaction,
  unit: string,
  found: readonly Found[],
  nowMs: number,
): Promise<boolean> {
  const before = await transaction
    .selectFrom('calibrations')
    .where('reactor_unit', '=', unit)
    .select(['device', 'name', 'data', 'is_current', 'set_to_current_at'])
    .execute();
  const knownOf = ({ device, content }: Found) =>
    before.find((row) => row.device === device && row.name === content.calibration_name);
  const isStored = (one: Found): boolean => {
    const known = knownOf(one);
    return known?.data === JSON.stringify(one.content) && (known.is_current === 1) === one.isActive;
  };
  const since = (one: Found): number | null => {
    const known = knownOf(one);
    if (!one.isActive) return known?.set_to_current_at ?? null;
    return known?.is_current === 1 ? known.set_to_current_at : nowMs;
  };
  await transaction.deleteFrom('calibrations').where('reactor_unit', '=', unit).execute();
  for (const one of found) {
    await transaction
      .insertInto('calibrations')
      .values({
        reactor_unit: unit,
        device: one.device,
        name: one.content.calibration_name,
        type: one.content.calibration_type,
        created_at: Date.parse(one.content.created_at),
        data: JSON.stringify(one.content),
        is_current: one.isActive ? 1 : 0,
        set_to_current_at: since(one),
        copied_at: nowMs,
      })
      .execute();
  }
  return found.length !== before.length || !found.every(isStored);
}
