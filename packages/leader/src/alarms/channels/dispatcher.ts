import { dayMs, hourMs } from '@lcs/contract';
import type { Cancel, Service } from '@lcs/platform';
import type { LeaderContext } from '../../core/leader-context.ts';
import type { LeaderReader } from '../../queries/experiments.ts';
import type { ChannelSecrets } from './channel-secrets.ts';
import { channelById, type StoredChannel } from './channel-store.ts';
import { DeliveryFailed, failureText } from './delivery-failed.ts';
import { digestOf, isGathered, type Notice } from './notice.ts';
import { outsideAddresses } from './outside-settings.ts';
import { sendEmail } from './send-email.ts';
import { sendPing, sendWebhook } from './send-http.ts';
import { smtpSettings } from './smtp-settings.ts';

type Needs = Pick<LeaderContext, 'clock' | 'wire' | 'database' | 'log' | 'dataFolder' | 'units'>;

/** The outcome of a delivery attempt; `error` null: delivered. */
export interface Attempt {
  readonly error: string | null;
  readonly tookMs: number;
}

/** Time limit of an attempt. */
const attemptMs = 10_000;
const firstPauseMs = 10_000;
const longestPauseMs = hourMs;
/** The most notices in one e-mail. */
const maxNoticesPerEmail = 500;
/** After this time the dispatcher gives a notice up. */
const giveUpMs = 48 * hourMs;
/** Retention of ended deliveries. */
const keptMs = 30 * dayMs;

/** The pause after `attempts` failed attempts: 10 s, tripled up to an hour. */
export const pauseMs = (attempts: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 3 ** Math.max(0, attempts - 1));

/** The waiting notices, of each alarm and channel only the oldest: the end of an alarm must not arrive before its beginning. */
const inTurn = (database: LeaderReader) =>
  database
    .selectFrom('alarm_deliveries as d')
    .where('state', '=', 'waiting')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('alarm_deliveries as e')
            .whereRef('e.alarm_id', '=', 'd.alarm_id')
            .whereRef('e.channel_id', '=', 'd.channel_id')
            .whereRef('e.id', '<', 'd.id')
            .where('e.state', '=', 'waiting')
            .select('e.id'),
        ),
      ),
    );

interface Waiting {
  readonly id: number;
  readonly notice: string;
  readonly payload: string;
  readonly created_at: number;
  readonly attempts: number;
}

/**
 * Delivers the waiting notices: one at a time per channel, channels in parallel, with growing pauses between attempts. Only drills and
 * channel tests wait for it.
 */
export class Dispatcher implements Service {
  readonly name = 'alarm delivery';
  readonly #needs: Needs;
  readonly #secrets: Pick<ChannelSecrets, 'unsealOrThrow'>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #awaited = new Map<number, (attempt: Attempt) => void>();
  #ending = new AbortController();
  #isUp = false;
  #cancel: Cancel = () => {};

  constructor(needs: Needs, secrets: Pick<ChannelSecrets, 'unsealOrThrow'>) {
    this.#needs = needs;
    this.#secrets = secrets;
  }

  async start(): Promise<void> {
    this.#ending = new AbortController();
    this.#isUp = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isUp = false;
    this.#cancel();
    this.#ending.abort();
    await Promise.all(this.#running.values());
  }

  /** Starts the deliveries that are due. */
  readonly wake = (): void => {
    if (!this.#isUp) return;
    this.#deliverDue().catch((error: unknown) =>
      this.#needs.log.error('The waiting notices of alarms could not be read', { error: String(error) }),
    );
  };

  /** The outcome of the first attempt on a delivery. Call it before the change that adds the delivery is committed. */
  attemptOn(deliveryId: number, signal: AbortSignal): Promise<Attempt> {
    const { promise, resolve, reject } = Promise.withResolvers<Attempt>();
    this.#awaited.set(deliveryId, resolve);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    return promise.finally(() => this.#awaited.delete(deliveryId));
  }

  /** One attempt, within its time limit. */
  async #attempt(send: (signal: AbortSignal) => Promise<void>): Promise<Attempt> {
    const { wire } = this.#needs;
    const startMs = wire.monotonic();
    const late = new AbortController();
    const cancel = wire.after(attemptMs, () => late.abort(new DeliveryFailed('It took more than 10 seconds.')));
    let error: string | null = null;
    try {
      await send(AbortSignal.any([late.signal, this.#ending.signal]));
    } catch (caught) {
      const reason: unknown = late.signal.aborted ? late.signal.reason : caught;
      error = failureText(reason);
    } finally {
      cancel();
    }
    return { error, tookMs: Math.round(wire.monotonic() - startMs) };
  }

  /** Stores the outcome of the last attempt on a channel. */
  async #recordLast(channelId: string, { error }: Attempt): Promise<void> {
    const outcome = lastOutcome(error, Math.floor(this.#needs.clock.now()));
    await this.#needs.database.write((transaction) =>
      transaction.updateTable('alarm_channels').set(outcome).where('channel_id', '=', channelId).execute(),
    );
  }

  /** Sends a ping to a channel's service at once, without the queue. */
  async ping(channel: StoredChannel): Promise<Attempt> {
    const { url, method } = channel;
    const attempt = await this.#attempt(async (signal) => {
      const opened = this.#opened(url) ?? '';
      return sendPing(opened, method ?? 'GET', await outsideAddresses(this.#needs), signal);
    });
    if (!this.#ending.signal.aborted) await this.#recordLast(channel.channelId, attempt);
    return attempt;
  }

  /** @throws DeliveryFailed */
  #opened(sealed: string | null): string | null {
    return sealed === null ? null : this.#secrets.unsealOrThrow(sealed);
  }

  async #deliverDue(): Promise<void> {
    const { clock, database } = this.#needs;
    this.#cancel();
    const waiting = await inTurn(database.read)
      .groupBy('channel_id')
      .select(({ fn }) => ['channel_id', fn.min('next_at').as('next_at')])
      .execute();
    const now = clock.now();
    for (const { channel_id, next_at } of waiting) if ((next_at ?? 0) <= now) this.#run(channel_id);
    const later = waiting.flatMap(({ next_at }) => (next_at !== null && next_at > now ? [next_at] : []));
    if (later.length > 0 && this.#isUp) this.#cancel = clock.after(Math.min(...later) - now, this.wake);
  }

  #run(channelId: string): void {
    if (!this.#isUp || this.#running.has(channelId)) return;
    const run = this.#deliverAll(channelId)
      .catch((error: unknown) =>
        this.#needs.log.error('Notices of an alarm channel could not be delivered', {
          channelId,
          error: String(error),
        }),
      )
      .finally(() => {
        this.#running.delete(channelId);
        // For notices that arrived meanwhile, and to schedule the next attempt.
        this.wake();
      });
    this.#running.set(channelId, run);
  }

  async #deliverAll(channelId: string): Promise<void> {
    const { database, clock } = this.#needs;
    while (this.#isUp) {
      const channel = await channelById(database.read, channelId);
      const due = await inTurn(database.read)
        .where('channel_id', '=', channelId)
        .where('next_at', '<=', Math.floor(clock.now()))
        .orderBy('id')
        .select(['id', 'notice', 'payload', 'created_at', 'attempts'])
        .limit(channel?.kind === 'email' ? maxNoticesPerEmail : 1)
        .execute();
      const [next, ...others] = due;
      if (channel === undefined || next === undefined) return;
      const more = isGathered(next.notice) ? others.filter(({ notice }) => isGathered(notice)) : [];
      if (!(await this.#deliver(channel, [next, ...more]))) return;
    }
  }

  /** Whether the attempt succeeded. */
  async #deliver(channel: StoredChannel, waiting: readonly [Waiting, ...Waiting[]]): Promise<boolean> {
    const isEnabled = channel.isEnabled || waiting[0].notice === 'test';
    const attempt = isEnabled ? await this.#send(channel, waiting) : disabled;
    // The end of the leader interrupted it: the next start repeats it.
    if (this.#ending.signal.aborted) return false;
    await this.#record(channel, waiting, attempt);
    for (const { id } of waiting) this.#awaited.get(id)?.(attempt);
    return attempt.error === null;
  }

  #send(channel: StoredChannel, waiting: readonly [Waiting, ...Waiting[]]): Promise<Attempt> {
    const { clock, dataFolder } = this.#needs;
    const [{ id, payload }] = waiting;
    const { kind, url, secret, recipients } = channel;
    return this.#attempt(async (signal) => {
      if (kind === 'email') {
        const digest = digestOf(waiting.map((each) => noticeIn(each.payload)));
        return sendEmail(await smtpSettings(dataFolder), recipients, digest, signal);
      }
      const timestampS = Math.floor(clock.now() / 1_000);
      const opened = { url: this.#opened(url) ?? '', secret: this.#opened(secret) };
      const call = { ...opened, deliveryId: id, notice: noticeIn(payload), timestampS };
      return sendWebhook(call, await outsideAddresses(this.#needs), signal);
    });
  }

  async #record({ channelId }: StoredChannel, waiting: readonly Waiting[], { error }: Attempt): Promise<void> {
    const now = Math.floor(this.#needs.clock.now());
    await this.#needs.database.write(async (transaction) => {
      for (const one of waiting) {
        await transaction
          .updateTable('alarm_deliveries')
          .set(outcomeOf(one, error, now))
          .where('id', '=', one.id)
          .execute();
      }
      const outcome = lastOutcome(error, now);
      await transaction.updateTable('alarm_channels').set(outcome).where('channel_id', '=', channelId).execute();
      await transaction
        .deleteFrom('alarm_deliveries')
        .where('ended_at', '<', now - keptMs)
        .execute();
    });
  }
}

/** Written by this program only, from a `Notice`. */
const noticeIn = (payload: string): Notice => JSON.parse(payload);

const lastOutcome = (error: string | null, now: number) =>
  error === null ? { last_success_at: now } : { last_error: error, last_error_at: now };

/** The change of a delivery after an attempt. */
function outcomeOf(waiting: Waiting, error: string | null, now: number) {
  const attempts = waiting.attempts + 1;
  if (error === null) return { attempts, state: 'delivered', next_at: null, ended_at: now };
  // A test or drill is not repeated: hours later its result is useless.
  const isOver = !isGathered(waiting.notice) || now - waiting.created_at >= giveUpMs;
  return isOver
    ? { attempts, state: 'given_up', next_at: null, ended_at: now, error }
    : { attempts, next_at: now + pauseMs(attempts), error };
}

const disabled: Attempt = { error: 'The channel is disabled.', tookMs: 0 };
