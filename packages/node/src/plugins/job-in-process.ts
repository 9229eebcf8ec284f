import type { Json } from '@lcs/contract';
import type {
  OpticalPhase,
  PluginAutomation,
  PluginJob,
  PluginJobContext,
  PluginReading,
  RunningPluginJob,
} from '@lcs/plugin-api';
import type { Channel } from './channel.ts';
import type { LoadedPlugin } from './loaded-plugin.ts';
import type { NodeClock } from './node-clock.ts';
import type { ChildCalls, ListenedTopic, NodeCalls, PluginJobStart, ReceivedValue } from './plugin-calls.ts';

type Listener = (value: ReceivedValue) => void | Promise<void>;

const isOptical = (value: ReceivedValue): value is OpticalPhase =>
  typeof value === 'object' && value !== null && 'phase' in value;
const isReading = (value: ReceivedValue): value is Json & PluginReading =>
  typeof value === 'object' && value !== null && 'source' in value;
const isJson = (value: ReceivedValue): value is Json => value !== undefined;

/** The one job of a plugin's process. Timers and outputs belong to the node. */
export class JobInProcess {
  readonly #channel: Channel<ChildCalls, NodeCalls>;
  readonly #clock: NodeClock;
  readonly #fail: (error: unknown) => void;
  readonly #ending = new AbortController();
  readonly #repeated = new Map<number, () => void | Promise<void>>();
  readonly #listeners = new Map<number, Listener>();
  readonly #settings = new Map<string, Json>();
  #job: RunningPluginJob = {};
  #lastId = 0;

  constructor(channel: Channel<ChildCalls, NodeCalls>, clock: NodeClock, fail: (error: unknown) => void) {
    this.#channel = channel;
    this.#clock = clock;
    this.#fail = fail;
  }

  async start(plugin: LoadedPlugin, beginning: PluginJobStart): Promise<{ endsByItself: boolean }> {
    for (const [name, value] of Object.entries(beginning.settings)) this.#settings.set(name, value);
    this.#job = (await found(plugin, beginning).start(this.#context(beginning))) ?? {};
    const { done } = this.#job;
    done?.then(() => this.#ignoreFailure(this.#channel.call('done', null)), this.#fail);
    return { endsByItself: done !== undefined };
  }

  async tick(id: number): Promise<null> {
    await this.#repeated.get(id)?.();
    return null;
  }

  async receive(id: number, value: ReceivedValue): Promise<null> {
    await this.#listeners.get(id)?.(value);
    return null;
  }

  async apply(values: Readonly<Record<string, Json>>): Promise<null> {
    await this.#job.apply?.(values);
    for (const [name, value] of Object.entries(values)) this.#settings.set(name, value);
    return null;
  }

  async sleep(): Promise<null> {
    await this.#job.sleep?.();
    return null;
  }

  async wake(): Promise<null> {
    await this.#job.wake?.();
    return null;
  }

  async stop(): Promise<null> {
    this.#ending.abort(new Error('The job has ended.'));
    await this.#job.stop?.();
    return null;
  }

  #context({ job, automation, jobId, unit, experiment, model, options, config }: PluginJobStart): PluginJobContext {
    const channel = this.#channel;
    return {
      unit,
      experiment,
      jobId,
      jobName: job,
      config,
      signal: this.#ending.signal,
      model: model ?? undefined,
      options: optionsOf(options, automation),
      clock: {
        now: () => this.#clock.now(),
        sleep: async (delayMs) => this.#clock.set(await channel.call('sleepFor', delayMs)),
      },
      repeat: (intervalMs, action) => {
        const id = this.#nextId();
        this.#repeated.set(id, action);
        this.#ignoreFailure(channel.call('repeat', { id, intervalMs }));
        return () => {
          if (this.#repeated.delete(id)) this.#ignoreFailure(channel.call('unrepeat', id));
        };
      },
      setting: (name) => this.#settings.get(name) ?? null,
      publish: (name, value) => {
        this.#settings.set(name, value);
        this.#ignoreFailure(channel.call('publish', { name, value }));
      },
      reading: (reading) =>
        this.#ignoreFailure(channel.call('reading', { ...reading, flags: [...(reading.flags ?? [])] })),
      event: (name, data, message) =>
        this.#ignoreFailure(channel.call('event', { name, data, message: message ?? null })),
      log: (level, message) => this.#ignoreFailure(channel.call('log', { level, message })),
      onReading: (key, listener) =>
        this.#listen('reading', key, (value) => (isReading(value) ? listener(value) : undefined)),
      onSetting: (other, setting, listener) =>
        this.#listen('setting', `${other}/${setting}`, (value) => (isJson(value) ? listener(value) : undefined)),
      onState: (other, listener) => this.#listen('state', other, (value) => listener(String(value))),
      onOpticalReading: (listener) =>
        this.#listen('optical', '', (value) => (isOptical(value) ? listener(value) : undefined)),
      lease: async (outputs) => {
        const lease = await channel.call('lease', outputs);
        return {
          set: async (output, percent, forMs) => {
            await channel.call('setOutput', { lease, output, percent, forMs: forMs ?? null });
          },
          release: async () => {
            await channel.call('releaseLease', lease);
          },
        };
      },
    };
  }

  #listen(topic: ListenedTopic, key: string, listener: Listener): void {
    const id = this.#nextId();
    this.#listeners.set(id, listener);
    this.#ignoreFailure(this.#channel.call('listen', { id, topic, key }));
  }

  /** A call without waiting: if the node rejects it, the job has a mistake and ends with that error. */
  #ignoreFailure(said: Promise<unknown>): void {
    said.catch((error: unknown) => {
      if (!this.#ending.signal.aborted) this.#fail(error);
    });
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

function found({ jobs, automations }: LoadedPlugin, { job, automation }: PluginJobStart): PluginJob | PluginAutomation {
  const one =
    automation === null
      ? jobs?.find(({ name }) => name === job)
      : automations?.find((candidate) => candidate.job === job && candidate.name === automation);
  if (one === undefined) throw new Error(`It has no job ${job}${automation === null ? '' : ` with ${automation}`}.`);
  return one;
}

type Options = PluginJobContext['options'];
const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function optionsOf(given: Readonly<Record<string, Json>>, automation: string | null): Options {
  const options: Record<string, Options[string]> = {};
  for (const [name, value] of Object.entries(given)) {
    // A plugin's automation need not read its own name.
    if (automation !== null && name === 'automation_name') continue;
    if (isScalar(value)) options[name] = value;
    else if (Array.isArray(value)) options[name] = value.filter(isScalar);
  }
  return options;
}
