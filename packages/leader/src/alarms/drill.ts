import type { AlarmChannelResult, AlarmDrillResult, Json } from '@lcs/contract';
import type { Cancel, Service, TaskContext, TaskKind } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { LiveListener } from '../live/live-hub.ts';
import type { AlarmRegistry } from './alarm-registry.ts';
import { alarmById, type StoredAlarm } from './alarm-store.ts';
import { channelById, type StoredChannel, storedChannels } from './channels/channel-store.ts';
import type { Attempt, Dispatcher } from './channels/dispatcher.ts';
import type { NoticeQueue } from './channels/notice-queue.ts';
import { cluster } from './evaluation.ts';

export interface DrillOptions {
  readonly context: Pick<LeaderContext, 'change' | 'database' | 'tasks' | 'wire'>;
  readonly book: AlarmRegistry;
  readonly dispatcher: Dispatcher;
  readonly queue: NoticeQueue;
  readonly listen: (listener: LiveListener) => Cancel;
  /** Looks at everything once; whether nothing failed. */
  readonly looks: { evaluateNow(): Promise<boolean> };
}

type DrillInput = { readonly author: string | null; readonly comment: string | null };
type TestInput = { readonly channel_id: string };

/** A live event that has not come by then does not come. */
const shownMs = 5_000;

const resultOf = ({ channelId, name, kind }: StoredChannel, { error, tookMs }: Attempt): AlarmChannelResult => ({
  channel_id: channelId,
  channel: name,
  kind,
  delivered: error === null,
  error,
  took_ms: tookMs,
});

/** Tries channels: one by a test, all of them with the whole chain by a drill. */
export class Drills implements Service {
  readonly name = 'drills of alarms';
  /** To be registered before the tasks start. */
  readonly drill: TaskKind<DrillInput>;
  readonly test: TaskKind<TestInput>;
  readonly #options: DrillOptions;

  constructor(options: DrillOptions) {
    this.#options = options;
    this.drill = { kind: 'alarm_drill', lock: 'alarm-drill', run: (input, task) => this.#drill(input, task) };
    this.test = { kind: 'alarm_channel_test', run: ({ channel_id }, task) => this.#test(channel_id, task) };
  }

  /** Ends what a restart has cut. */
  async start(): Promise<void> {
    for (const alarm of this.#options.book.open()) {
      if (alarm.rule === 'drill') await this.#clear(alarm, { author: null, comment: 'The leader was restarted.' });
    }
  }

  async stop(): Promise<void> {}

  async #drill(input: DrillInput, { signal, progress }: TaskContext): Promise<Json> {
    const { context, book, dispatcher, looks } = this.#options;
    if (!(await looks.evaluateNow()))
      throw new Error('The conditions could not be looked at, so that no alarm can be raised. The log says why.');
    const by = input.author === null ? '' : ` by ${input.author}`;
    const message = `Drill${by}: somebody tries whether alarms reach people. Nothing is wrong.`;
    const shown = this.#shownLive();
    progress(0.1, 'Raising an alarm');
    const raised = await book.raise({
      rule: 'drill',
      severity: 'critical',
      subject: cluster,
      message,
      notice: 'drill',
    });
    if (raised === undefined) throw new Error('A drill is about no experiment.');
    try {
      const recorded = (await alarmById(context.database.read, raised.alarmId)) !== undefined;
      progress(0.4, 'Telling the channels');
      const channels = (await storedChannels(context.database.read)).filter(({ isEnabled }) => isEnabled);
      const results = await Promise.all(
        channels.map(async (channel) => {
          const isPing = channel.kind === 'ping';
          const attempt = isPing ? dispatcher.ping(channel) : this.#delivered(channel, raised, signal);
          return resultOf(channel, await attempt);
        }),
      );
      const result: AlarmDrillResult = {
        alarm_id: raised.alarmId,
        recorded,
        shown_live: await shown(raised.alarmId),
        channels: results,
        cleared: (await this.#clear(raised, input)).clearedAt !== null,
      };
      return result;
    } catch (error) {
      await this.#clear(raised, input);
      throw error;
    }
  }

  async #clear({ alarmId }: StoredAlarm, input: DrillInput): Promise<StoredAlarm> {
    const { book } = this.#options;
    await book.acknowledge(alarmId, input);
    return book.returnToNormal(alarmId);
  }

  async #test(channelId: string, { signal }: TaskContext): Promise<Json> {
    const { context, dispatcher, queue } = this.#options;
    const channel = await channelById(context.database.read, channelId);
    if (channel === undefined) throw new Error('The channel was removed meanwhile.');
    if (channel.kind === 'ping') return resultOf(channel, await dispatcher.ping(channel));
    const attempt = await context.change(async (transaction, effects) => {
      const id = await queue.addTo(transaction, effects, channel, 'test', null);
      return { of: dispatcher.attemptOn(id, signal) };
    });
    return resultOf(channel, await attempt.of);
  }

  /** The outcome of the first attempt to tell the drill to a channel. */
  async #delivered({ channelId }: StoredChannel, { alarmId }: StoredAlarm, signal: AbortSignal): Promise<Attempt> {
    const { context, dispatcher } = this.#options;
    const row = await context.database.read
      .selectFrom('alarm_deliveries')
      .where('alarm_id', '=', alarmId)
      .where('channel_id', '=', channelId)
      .select(['id', 'state', 'error'])
      .executeTakeFirst();
    if (row === undefined) return { error: 'The channel was added or switched on meanwhile.', tookMs: 0 };
    if (row.state !== 'waiting') return { error: row.error, tookMs: 0 };
    return dispatcher.attemptOn(row.id, signal);
  }

  /** Listens from now on; the returned function says whether the event of that alarm was seen. */
  #shownLive(): (alarmId: string) => Promise<boolean> {
    const { listen, context } = this.#options;
    const seen = new Set<string>();
    const news = Promise.withResolvers<void>();
    const unlisten = listen((name, data) => {
      if (name !== 'alarm' || !('alarm_id' in data)) return;
      seen.add(data.alarm_id);
      news.resolve();
    });
    return async (alarmId) => {
      const cancel = context.wire.after(shownMs, () => news.resolve());
      await news.promise;
      cancel();
      unlisten();
      return seen.has(alarmId);
    };
  }
}
