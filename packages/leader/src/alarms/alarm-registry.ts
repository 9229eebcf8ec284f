import {
  type Alarm,
  type AlarmAction,
  type AlarmNotice,
  type AlarmSeverity,
  ApiError,
  type LogLevel,
} from '@lcs/contract';
import { type AlarmLifecycle, applyTransition, isActive, isCleared, newAlarm, withShelving } from '@lcs/domain';
import type { Service } from '@lcs/platform';
import type { Effects, LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { experimentKey } from '../queries/experiments.ts';
import { type AlarmSubject, alarmById, conditionKey, openAlarms, type StoredAlarm, toAlarm } from './alarm-store.ts';

type Needs = Pick<LeaderContext, 'change' | 'clock' | 'database' | 'newId'>;

/** Queues a notice for the channels in the transaction of its change. */
export type AddNotice = (
  transaction: LeaderTransaction,
  effects: Effects,
  notice: AlarmNotice,
  alarm: Alarm,
) => Promise<void>;

/** A condition that has become true. */
export interface RaisedCondition {
  readonly rule: string;
  readonly severity: AlarmSeverity;
  readonly subject: AlarmSubject;
  readonly message: string;
  /** The notice for the channels; default `raised`. */
  readonly notice?: AlarmNotice;
}

/** The person who acts, with a comment. */
export interface AlarmActor {
  readonly author?: string | null | undefined;
  readonly comment?: string | null | undefined;
}

/** One entry of the history of an alarm. */
interface HistoryAction {
  readonly what: AlarmAction;
  readonly actor?: AlarmActor;
  readonly until?: number;
}

interface AlarmUpdate {
  readonly after: StoredAlarm;
  readonly actions: readonly HistoryAction[];
  readonly notice?: AlarmNotice | undefined;
  readonly entry?: { readonly level: LogLevel; readonly message: string } | undefined;
}

const levels: { readonly [Severity in AlarmSeverity]: LogLevel } = {
  warning: 'WARNING',
  error: 'ERROR',
  critical: 'CRITICAL',
};
const textOr = (value: string | null | undefined): string | null => value?.trim() || null;

/**
 * The alarms on disk: at most one open alarm per condition. Each step is one transaction with its history, its live event, its entry in the
 * event log and its notices.
 */
export class AlarmRegistry implements Service {
  readonly name = 'alarms';
  readonly #needs: Needs;
  readonly #addNotice: AddNotice;
  readonly #open = new Map<string, StoredAlarm>();

  constructor(needs: Needs, addNotice: AddNotice) {
    this.#needs = needs;
    this.#addNotice = addNotice;
  }

  async start(): Promise<void> {
    this.#open.clear();
    for (const alarm of await openAlarms(this.#needs.database.read)) this.#remember(alarm);
  }

  async stop(): Promise<void> {}

  /** All alarms that are not cleared. */
  open(): readonly StoredAlarm[] {
    return [...this.#open.values()];
  }

  /** The open alarm of a condition. */
  of(key: string): StoredAlarm | undefined {
    return this.#open.get(key);
  }

  /** Drops the alarms of a deleted experiment. */
  forgetExperiment(experiment: string): void {
    for (const [key, { subject }] of this.#open) if (subject.experiment === experiment) this.#open.delete(key);
  }

  /** Raises the alarm of a condition; undefined when its experiment does not exist. */
  raise(condition: RaisedCondition): Promise<StoredAlarm | undefined> {
    const now = this.#now();
    return this.#needs.change(async (transaction, effects) => {
      const known = this.#open.get(conditionKey(condition.rule, condition.subject));
      const before = known && (await alarmById(transaction, known.alarmId));
      if (before === undefined || isCleared(before.life)) return this.#create(transaction, effects, condition, now);
      if (isActive(before.life)) return before;
      const after: StoredAlarm = {
        ...before,
        life: applyTransition(before.life, 'raise'),
        severity: condition.severity,
        message: condition.message,
        occurrences: before.occurrences + 1,
        returnedAt: null,
        acknowledgedAt: null,
        acknowledgedBy: null,
        comment: null,
      };
      const isShelved = before.life.shelvedUntilMs !== null;
      const entry = { level: levels[after.severity], message: after.message };
      const notification = isShelved ? {} : ({ notice: 'raised', entry } as const);
      return this.#store(transaction, effects, { after, actions: [{ what: 'raised_again' }], ...notification }, now);
    });
  }

  /** The condition has returned to normal. */
  returnToNormal(alarmId: string): Promise<StoredAlarm> {
    return this.#step(alarmId, (before, now) => {
      if (!isActive(before.life)) return undefined;
      const life = applyTransition(before.life, 'return');
      const isShelved = before.life.shelvedUntilMs !== null;
      const entry = { level: 'NOTICE', message: `Over: ${before.message}` } as const;
      return {
        after: { ...before, life, returnedAt: now },
        actions: [{ what: 'returned' }, ...clearing(life)],
        ...(isShelved ? {} : { notice: 'returned', entry }),
      };
    });
  }

  /** @throws ApiError alarm_not_found, alarm_cleared */
  acknowledge(alarmId: string, actor: AlarmActor): Promise<StoredAlarm> {
    return this.#step(alarmId, (before, now) => {
      if (before.clearedAt !== null) throw new ApiError('alarm_cleared', { alarm: alarmId });
      const life = applyTransition(before.life, 'acknowledge');
      if (life.status === before.life.status) return undefined;
      const about = { acknowledgedAt: now, acknowledgedBy: textOr(actor.author), comment: textOr(actor.comment) };
      return { after: { ...before, life, ...about }, actions: [{ what: 'acknowledged', actor }, ...clearing(life)] };
    });
  }

  /** @throws ApiError alarm_not_found, alarm_cleared */
  shelve(alarmId: string, untilMs: number, actor: AlarmActor): Promise<StoredAlarm> {
    return this.#step(alarmId, (before) => {
      if (before.clearedAt !== null) throw new ApiError('alarm_cleared', { alarm: alarmId });
      const after = { ...before, life: withShelving(before.life, untilMs) };
      return { after, actions: [{ what: 'shelved', actor, until: untilMs }] };
    });
  }

  /** By a person. @throws ApiError alarm_not_found, alarm_not_shelved */
  unshelve(alarmId: string, actor: AlarmActor): Promise<StoredAlarm> {
    return this.#step(alarmId, (before) => {
      if (before.life.shelvedUntilMs === null) throw new ApiError('alarm_not_shelved', { alarm: alarmId });
      return withoutShelving(before, { what: 'unshelved', actor });
    });
  }

  /** The shelving has expired. */
  endShelving(alarmId: string): Promise<StoredAlarm> {
    return this.#step(alarmId, (before) =>
      before.life.shelvedUntilMs === null ? undefined : withoutShelving(before, { what: 'shelf_ended' }),
    );
  }

  #now(): number {
    return Math.floor(this.#needs.clock.now());
  }

  #remember(alarm: StoredAlarm): void {
    const key = conditionKey(alarm.rule, alarm.subject);
    if (alarm.clearedAt === null) this.#open.set(key, alarm);
    else if (this.#open.get(key)?.id === alarm.id) this.#open.delete(key);
  }

  /** `update` returns undefined when it changes nothing. @throws ApiError alarm_not_found */
  #step(alarmId: string, update: (before: StoredAlarm, now: number) => AlarmUpdate | undefined): Promise<StoredAlarm> {
    const now = this.#now();
    return this.#needs.change(async (transaction, effects) => {
      const before = await alarmById(transaction, alarmId);
      if (before === undefined) throw new ApiError('alarm_not_found', { alarm: alarmId });
      const changed = update(before, now);
      return changed === undefined ? before : this.#store(transaction, effects, changed, now);
    });
  }

  async #create(
    transaction: LeaderTransaction,
    effects: Effects,
    { rule, severity, subject, message, notice = 'raised' }: RaisedCondition,
    now: number,
  ): Promise<StoredAlarm | undefined> {
    const { experiment, unit, detail } = subject;
    const key = experiment === null ? undefined : await experimentKey(transaction, experiment).executeTakeFirst();
    if (experiment !== null && key === undefined) return undefined;
    const { id, alarm_id } = await transaction
      .insertInto('alarms')
      .values({
        alarm_id: this.#needs.newId(),
        rule,
        severity,
        reactor_unit: unit,
        experiment_id: key?.id ?? null,
        detail,
        standing: newAlarm.status,
        message,
        since: now,
      })
      .returning(['id', 'alarm_id'])
      .executeTakeFirstOrThrow();
    const after: StoredAlarm = {
      id,
      alarmId: alarm_id,
      rule,
      severity,
      subject,
      message,
      experimentId: key?.id ?? null,
      life: newAlarm,
      since: now,
      occurrences: 1,
      returnedAt: null,
      clearedAt: null,
      acknowledgedAt: null,
      acknowledgedBy: null,
      comment: null,
    };
    const entry = { level: rule === 'drill' ? 'NOTICE' : levels[severity], message } as const;
    return this.#store(transaction, effects, { after, actions: [{ what: 'raised' }], notice, entry }, now);
  }

  async #store(
    transaction: LeaderTransaction,
    effects: Effects,
    update: AlarmUpdate,
    now: number,
  ): Promise<StoredAlarm> {
    const after = { ...update.after, clearedAt: isCleared(update.after.life) ? now : null };
    const { life, subject } = after;
    await transaction
      .updateTable('alarms')
      .set({
        severity: after.severity,
        standing: life.status,
        shelved_until: life.shelvedUntilMs,
        message: after.message,
        occurrences: after.occurrences,
        returned_at: after.returnedAt,
        acknowledged_at: after.acknowledgedAt,
        acknowledged_by: after.acknowledgedBy,
        comment: after.comment,
        cleared_at: after.clearedAt,
      })
      .where('id', '=', after.id)
      .execute();
    for (const { what, actor, until } of update.actions) {
      const isRaised = what === 'raised' || what === 'raised_again';
      const by = { author: textOr(actor?.author), comment: textOr(actor?.comment) };
      const message = isRaised ? after.message : null;
      const entry = { alarm: after.id, at: now, what, ...by, message, until: until ?? null };
      await transaction.insertInto('alarm_history').values(entry).execute();
    }
    effects.afterCommit(() => this.#remember(after));
    const alarm = toAlarm(after);
    effects.live('alarm', after.alarmId, alarm);
    if (update.entry !== undefined) {
      const { experimentId: id } = after;
      const of = id === null || subject.experiment === null ? {} : { experiment: { id, name: subject.experiment } };
      await effects.logEvent({
        ...of,
        ...update.entry,
        task: 'alarm',
        ...(subject.unit !== null && { unit: subject.unit }),
      });
    }
    if (update.notice !== undefined) await this.#addNotice(transaction, effects, update.notice, alarm);
    return after;
  }
}

const clearing = (life: AlarmLifecycle): readonly HistoryAction[] => (isCleared(life) ? [{ what: 'cleared' }] : []);

/** Ends the shelving; raises the notice again when the alarm is active and unacknowledged. */
function withoutShelving(before: StoredAlarm, action: HistoryAction): AlarmUpdate {
  const life = withShelving(before.life, null);
  const isUnacknowledged = life.status === 'unacknowledged';
  return {
    after: { ...before, life },
    actions: [action, ...clearing(life)],
    ...(isUnacknowledged && { notice: 'raised', entry: { level: levels[before.severity], message: before.message } }),
  };
}
