import { type AlarmChannelResult, type AlarmDrillResult, ApiError, type Json } from '@lcs/contract';
import type { Cancel, Service, TaskContext, TaskKind } from '@lcs/platform';
import type { LeaderContext, LiveListener } from '../core/leader-context.ts';
import type { AlarmEngine } from './alarm-engine.ts';
import type { AlarmRegistry } from './alarm-registry.ts';
import { alarmById, type StoredAlarm } from './alarm-store.ts';
import { channelById, type StoredChannel, storedChannels } from './channels/channel-store.ts';
import type { Attempt, Dispatcher } from './channels/dispatcher.ts';
import type { NoticeQueue } from './channels/notice-queue.ts';
import { cluster } from './evaluation.ts';

export interface DrillOptions {
  readonly context: Pick<LeaderContext, 'change' | 'database' | 'tasks' | 'wire'>;
  readonly registry: AlarmRegistry;
  readonly dispatcher: Dispatcher;
  readonly queue: NoticeQueue;
  readonly listen: (listener: LiveListener) => Cancel;
  readonly engine: Pick<AlarmEngine, 'evaluateNow'>;
}

type DrillInput = { readonly author: string | null; readonly comment: string | null };
type TestInput = { readonly channel_id: string };

/** How long to wait for the live event of a drill. */
const shownMs = 5_000;

const resultOf = ({ channelId, name, kind }: StoredChannel, { error, tookMs }: Attempt): AlarmChannelResult => ({
  channel_id: channelId,
  channel: name,
  kind,
  delivered: error === null,
  error,
  took_ms: tookMs,
});

/** Tests one channel, or, by a drill, all channels with the whole chain from the condition on. */
export class Drills implements Service {
  readonly name = 'alarm drills';
  /** Register it before the tasks start. */
  readonly drill: TaskKind<DrillInput>;
  readonly test: TaskKind<TestInput>;
  readonly #options: DrillOptions;

  constructor(options: DrillOptions) {
    this.#options = options;
    this.drill = { kind: 'alarm_drill', lock: 'alarm-drill', run: (input, task) => this.#drill(input, task) };
    this.test = { kind: 'alarm_channel_test', run: ({ channel_id }, task) => this.#test(channel_id, task) };
  }

  /** Ends the drills that a restart interrupted. */
  async start(): Promise<void> {
    for (const alarm of this.#options.registry.open()) {
      if (alarm.rule === 'drill') await this.#clear(alarm, { author: null, comment: 'The leader was restarted.' });
    }
  }

  async stop(): Promise<void> {}

  async #drill(input: DrillInput, { signal, progress }: TaskContext): Promise<Json> {
    const { context, registry, dispatcher, engine } = this.#options;
    if (!(await engine.evaluateNow())) throw new ApiError('alarms_not_evaluated', {});
    const by = input.author === null ? '' : ` by ${input.author}`;
    const message = `Drill${by}: a test whether alarms reach people. No action is needed.`;
    const shown = this.#shownLive();
    progress(0.1, 'Raising an alarm');
    const raised = await registry.raise({
      rule: 'drill',
      severity: 'critical',
      subject: cluster,
      message,
      notice: 'drill',
    });
    if (raised === undefined) throw new Error('The drill belongs to the cluster, which always exists.');
    try {
      const recorded = (await alarmById(context.database.read, raised.alarmId)) !== undefined;
      progress(0.4, 'Notifying the channels');
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
    const { registry } = this.#options;
    await registry.acknowledge(alarmId, input);
    return registry.returnToNormal(alarmId);
  }

  async #test(channelId: string, { signal }: TaskContext): Promise<Json> {
    const { context, dispatcher, queue } = this.#options;
    const channel = await channelById(context.database.read, channelId);
    if (channel === undefined) throw new ApiError('alarm_channel_not_found', { channel: channelId });
    if (channel.kind === 'ping') return resultOf(channel, await dispatcher.ping(channel));
    const attempt = await context.change(async (transaction, effects) => {
      const id = await queue.addTo(transaction, effects, channel, 'test', null);
      return { of: dispatcher.attemptOn(id, signal) };
    });
    return resultOf(channel, await attempt.of);
  }

  /** The outcome of the first attempt to deliver the drill to a channel. */
  async #delivered({ channelId }: StoredChannel, { alarmId }: StoredAlarm, signal: AbortSignal): Promise<Attempt> {
    const { context, dispatcher } = this.#options;
    const row = await context.database.read
      .selectFrom('alarm_deliveries')
      .where('alarm_id', '=', alarmId)
      .where('channel_id', '=', channelId)
      .select(['id', 'state', 'error'])
      .executeTakeFirst();
    if (row === undefined) return { error: 'The channel was added or enabled meanwhile.', tookMs: 0 };
    if (row.state !== 'waiting') return { error: row.error, tookMs: 0 };
    return dispatcher.attemptOn(row.id, signal);
  }

  /** Listens from now on; the returned function resolves to whether the alarm's live event was published. */
  #shownLive(): (alarmId: string) => Promise<boolean> {
    const { listen, context } = this.#options;
    const seen = new Set<string>();
    const published = Promise.withResolvers<void>();
    const unlisten = listen((name, data) => {
      if (name !== 'alarm' || !('alarm_id' in data)) return;
      seen.add(data.alarm_id);
      published.resolve();
    });
    return async (alarmId) => {
      const cancel = context.wire.after(shownMs, () => published.resolve());
      await published.promise;
      cancel();
      unlisten();
      return seen.has(alarmId);
    };
  }
}
