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

/** How an attempt went; `error` null: well. */
export interface Attempt {
  readonly error: string | null;
  readonly tookMs: number;
}

/** An attempt takes no longer. */
const attemptMs = 10_000;
const firstPauseMs = 10_000;
const longestPauseMs = hourMs;
/** Notices of one letter: what it lists and counts. */
const mostOfLetter = 500;
/** What could not be told for so long is told no more. */
const patienceMs = 48 * hourMs;
/** Ended deliveries are kept so long. */
const keptMs = 30 * dayMs;

/** A pause before the attempt after `attempts` that failed: 10 s, tripled up to an hour. */
export const pauseMs = (attempts: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 3 ** Math.max(0, attempts - 1));

/** What waits, but what an earlier notice of the same alarm still waits before: nobody hears of the end first. */
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
 * Delivers what waits for channels: one notice of a channel at a time, channels side by side, again after pauses that grow.
 * Nothing waits for it but the tasks that want to know the outcome.
 */
export class Dispatcher implements Service {
  readonly name = 'delivery of alarms';
  readonly #needs: Needs;
  readonly #secrets: Pick<ChannelSecrets, 'mustOpen'>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #awaited = new Map<number, (attempt: Attempt) => void>();
  #ending = new AbortController();
  #isUp = false;
  #cancel: Cancel = () => {};

  constructor(needs: Needs, secrets: Pick<ChannelSecrets, 'mustOpen'>) {
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

  /** Something may be due. */
  readonly wake = (): void => {
    if (!this.#isUp) return;
    this.#deliverDue().catch((error: unknown) =>
      this.#needs.log.error('What waits for channels of alarms could not be read', { error: String(error) }),
    );
  };

  /** How the first attempt on a delivery goes; to be asked for before its change is made. */
  attemptOn(deliveryId: number, signal: AbortSignal): Promise<Attempt> {
    const { promise, resolve, reject } = Promise.withResolvers<Attempt>();
    this.#awaited.set(deliveryId, resolve);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    return promise.finally(() => this.#awaited.delete(deliveryId));
  }

  /** Once, within its time. */
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

  /** Keeps how the last attempt on a channel went. */
  async remember(channelId: string, { error }: Attempt): Promise<void> {
    const now = Math.floor(this.#needs.clock.now());
    const said = error === null ? { last_success_at: now } : { last_error: error, last_error_at: now };
    await this.#needs.database.write((transaction) =>
      transaction.updateTable('alarm_channels').set(said).where('channel_id', '=', channelId).execute(),
    );
  }

  /** Tells a ping channel's service that all is well, past its queue. */
  async ping(channel: StoredChannel): Promise<Attempt> {
    const { url, method } = channel;
    const attempt = await this.#attempt(async (signal) => {
      const opened = this.#opened(url) ?? '';
      return sendPing(opened, method ?? 'GET', await outsideAddresses(this.#needs), signal);
    });
    if (!this.#ending.signal.aborted) await this.remember(channel.channelId, attempt);
    return attempt;
  }

  /** @throws DeliveryFailed */
  #opened(sealed: string | null): string | null {
    return sealed === null ? null : this.#secrets.mustOpen(sealed);
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
        this.#needs.log.error('A channel of alarms could not be served', { channelId, error: String(error) }),
      )
      .finally(() => {
        this.#running.delete(channelId);
        // What came meanwhile, and when to try again.
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
        .limit(channel?.kind === 'email' ? mostOfLetter : 1)
        .execute();
      const [next, ...others] = due;
      if (channel === undefined || next === undefined) return;
      const more = isGathered(next.notice) ? others.filter(({ notice }) => isGathered(notice)) : [];
      if (!(await this.#deliver(channel, [next, ...more]))) return;
    }
  }

  /** Whether the channel works. */
  async #deliver(channel: StoredChannel, waiting: readonly [Waiting, ...Waiting[]]): Promise<boolean> {
    const isWanted = channel.isEnabled || waiting[0].notice === 'test';
    const attempt = isWanted ? await this.#send(channel, waiting) : disabled;
    // Cut by the end of the leader: it is tried again at the next start.
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
        const letter = digestOf(waiting.map((each) => noticeIn(each.payload)));
        return sendEmail(await smtpSettings(dataFolder), recipients, letter, signal);
      }
      const timestampS = Math.floor(clock.now() / 1_000);
      const opened = { url: this.#opened(url) ?? '', secret: this.#opened(secret) };
      const call = { ...opened, deliveryId: id, notice: noticeIn(payload), timestampS };
      return sendWebhook(call, await outsideAddresses(this.#needs), signal);
    });
  }

  async #record({ channelId }: StoredChannel, waiting: readonly Waiting[], { error }: Attempt): Promise<void> {
    const now = Math.floor(this.#needs.clock.now());
    const said = error === null ? { last_success_at: now } : { last_error: error, last_error_at: now };
    await this.#needs.database.write(async (transaction) => {
      for (const one of waiting) {
        await transaction
          .updateTable('alarm_deliveries')
          .set(outcomeOf(one, error, now))
          .where('id', '=', one.id)
          .execute();
      }
      await transaction.updateTable('alarm_channels').set(said).where('channel_id', '=', channelId).execute();
      await transaction
        .deleteFrom('alarm_deliveries')
        .where('ended_at', '<', now - keptMs)
        .execute();
    });
  }
}

/** Written by this program only, from a `Notice`. */
const noticeIn = (payload: string): Notice => JSON.parse(payload);

/** What becomes of a delivery after an attempt. */
function outcomeOf(waiting: Waiting, error: string | null, now: number) {
  const attempts = waiting.attempts + 1;
  if (error === null) return { attempts, state: 'delivered', next_at: null, ended_at: now };
  // Nobody wants to hear hours later that something was tried.
  const isOver = !isGathered(waiting.notice) || now - waiting.created_at >= patienceMs;
  return isOver
    ? { attempts, state: 'given_up', next_at: null, ended_at: now, error }
    : { attempts, next_at: now + pauseMs(attempts), error };
}

const disabled: Attempt = { error: 'The channel is switched off.', tookMs: 0 };
