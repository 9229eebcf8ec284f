import { ApiError, type Json } from '@lcs/contract';
import type { OpticalReading } from '@lcs/domain';
import type { OpticalPhase } from '@lcs/plugin-api';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { BusTopic } from '../jobs/job-bus.ts';
import {
  type ActuatorLease,
  type Job,
  type JobContext,
  type JobDefinition,
  SettingRefused,
} from '../jobs/job-definition.ts';
import { RemoteError } from './channel.ts';
import type { NodeCalls, PluginJobStart, ReceivedValue } from './plugin-calls.ts';
import type { PluginChild, PluginChildOptions } from './plugin-child.ts';
import type { DescribedAutomation, DescribedJob } from './plugin-description.ts';

export interface PluginJobNeeds {
  /** Name of the plugin, for users. */
  readonly plugin: string;
  /** Starts a process with the plugin; kept until it has ended. */
  readonly child: (serve: PluginChildOptions['serve']) => PluginChild;
  /** Absent on nodes without a board. */
  readonly optical?: BusTopic<OpticalReading>;
}

const Reading = Type.Object({
  source: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
  channel: Type.Optional(Type.String({ maxLength: 64 })),
  value: Type.Number(),
  atMs: Type.Optional(Type.Number()),
  flags: Type.Optional(Type.Array(Type.String({ maxLength: 64 }))),
});
const levels = ['DEBUG', 'INFO', 'NOTICE', 'WARNING', 'ERROR'] as const;
const isReading = (value: unknown): value is Static<typeof Reading> => Value.Check(Reading, value);

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null));

/** A plugin's rejection of a setting as `SettingRefused`; any other error unchanged. */
const asRefusedSetting = (error: unknown): unknown =>
  error instanceof RemoteError && error.setting !== undefined
    ? new SettingRefused(error.setting, error.message)
    : error;

/** The node's side of one run of a plugin's job. */
class PluginJobRun implements Job {
  readonly done: Promise<void>;
  readonly #context: JobContext;
  readonly #needs: PluginJobNeeds;
  readonly #drives: boolean;
  readonly #child: PluginChild;
  readonly #outcome = Promise.withResolvers<void>();
  readonly #repeats = new Map<number, () => void>();
  readonly #leases: ActuatorLease[] = [];
  #isStopping = false;

  constructor(context: JobContext, needs: PluginJobNeeds, drives: boolean) {
    this.#context = context;
    this.#needs = needs;
    this.#drives = drives;
    this.#child = needs.child(this.#serve());
    this.done = this.#outcome.promise;
    // Nothing awaits it while the job starts.
    this.done.catch(() => {});
    void this.#child.ended.then((error) => {
      if (!this.#isStopping) this.#outcome.reject(error);
    });
  }

  /** Resolves when the plugin reports that the job has started. */
  async start(beginning: PluginJobStart): Promise<this> {
    const { signal, clock } = this.#context;
    const giveUp = () => void this.#child.end();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await Promise.race([this.#child.call('start', { ...beginning, nowMs: clock.now() }), this.done]);
      signal.throwIfAborted();
      return this;
    } catch (error) {
      await this.#child.end();
      throw asRefusedSetting(error);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async sleep(): Promise<void> {
    await this.#child.call('sleep', null);
  }

  async wake(): Promise<void> {
    await this.#child.call('wake', null);
  }

  async apply(values: Readonly<Record<string, Json>>): Promise<void> {
    try {
      await this.#child.call('apply', values);
    } catch (error) {
      throw asRefusedSetting(error);
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#child.end(() => this.#child.call('stop', null));
  }

  #serve(): PluginChildOptions['serve'] {
    const context = this.#context;
    return {
      publish: ({ name, value }) => {
        context.publish(name, jsonOf(value));
        return null;
      },
      reading: (reading) => {
        if (!isReading(reading))
          throw new TypeError(`The value is not a reading: ${JSON.stringify(reading).slice(0, 200)}`);
        context.reading(reading);
        return null;
      },
      event: ({ name, data, message }) => {
        context.event({ name: String(name), data, ...(message === null ? {} : { message }) });
        return null;
      },
      log: ({ level, message }) => {
        context.log(levels.find((known) => known === level) ?? 'INFO', String(message));
        return null;
      },
      repeat: ({ id, intervalMs }) => this.#repeat(id, intervalMs),
      unrepeat: (id) => {
        this.#repeats.get(id)?.();
        this.#repeats.delete(id);
        return null;
      },
      listen: ({ id, topic, key }) => this.#listen(id, topic, key),
      sleepFor: async (delayMs) => {
        await context.clock.sleep(Math.max(0, Number(delayMs)));
        return context.clock.now();
      },
      lease: async (outputs) => {
        if (!this.#drives) throw new Error('It cannot drive outputs because it does not declare drivesOutputs.');
        return this.#leases.push(await context.lease(outputs)) - 1;
      },
      setOutput: async ({ lease, output, percent, forMs }) => {
        await this.#lease(lease).set(output, percent, forMs ?? undefined);
        return null;
      },
      releaseLease: async (lease) => {
        await this.#lease(lease).release();
        return null;
      },
      jobSettings: () => null,
      done: () => {
        this.#outcome.resolve();
        return null;
      },
      failed: (message) => {
        this.#outcome.reject(new Error(String(message)));
        return null;
      },
    };
  }

  #lease(id: number): ActuatorLease {
    const lease = this.#leases[id];
    if (lease === undefined) throw new Error(`There is no lease ${id}.`);
    return lease;
  }

  #repeat(id: number, intervalMs: number): null {
    if (!(intervalMs >= 1)) throw new RangeError(`The interval ${intervalMs} ms is not valid.`);
    const { clock } = this.#context;
    const tick = () => this.#child.call('tick', { id, nowMs: clock.now() });
    this.#repeats.set(
      id,
      this.#context.repeat(intervalMs, async () => {
        await tick();
      }),
    );
    return null;
  }

  #listen(id: number, topic: NodeCalls['listen']['given']['topic'], key: string): null {
    const { topics, clock, listen } = this.#context;
    const send = (value: ReceivedValue) =>
      this.#child.call('received', { id, nowMs: clock.now(), value }).then(() => {});
    const only = <Value>(wanted: (value: Value) => ReceivedValue) => {
      return (value: Value, its: string) => (its === key ? send(wanted(value)) : undefined);
    };
    if (topic === 'reading')
      listen(
        topics.readings,
        only((reading) => jsonOf(reading)),
      );
    if (topic === 'setting') listen(topics.settings, only(jsonOf));
    if (topic === 'state')
      listen(
        topics.states,
        only(({ state }) => state),
      );
    if (topic === 'optical') this.#listenToLight(send);
    return null;
  }

  #listenToLight(tell: (phase: OpticalPhase) => Promise<void>): void {
    const { optical } = this.#needs;
    const { clock, listen } = this.#context;
    const off = { phase: 'off', nextInMs: null, intervalMs: null } as const;
    const phaseOf = (news: OpticalReading): OpticalPhase =>
      news.phase === 'off'
        ? off
        : { phase: news.phase, nextInMs: news.nextAtMs - clock.monotonic(), intervalMs: news.intervalMs };
    if (optical === undefined) {
      clock.after(0, () => tell(off));
      return;
    }
    listen(optical, (news) => tell(phaseOf(news)));
    clock.after(0, () => {
      const latest = optical.latest('od_reading');
      return tell(latest === undefined ? off : phaseOf(latest));
    });
  }
}

function startOf(
  context: JobContext,
  job: string,
  automation: string | null,
  settings: readonly string[],
): PluginJobStart {
  const { jobId, unit, experiment, model, options, config } = context;
  return {
    job,
    automation,
    jobId,
    unit,
    experiment,
    model: model ?? null,
    options: Object.fromEntries(Object.entries(options).map(([name, value]) => [name, jsonOf(value)])),
    config: Object.fromEntries(Object.entries(config).map(([section, values]) => [section, { ...values }])),
    settings: Object.fromEntries(settings.map((name) => [name, context.setting(name)])),
  };
}

/** A job of a plugin as a definition for the node's runtime. Each run has its own process. */
export function pluginJob(job: DescribedJob, needs: PluginJobNeeds): JobDefinition {
  const { name, help, settings, options, drivesOutputs, stopGroup, mayRunPumps, usesJobs } = job;
  return {
    name,
    help,
    settings,
    options,
    stopGroup,
    mayRunPumps,
    usesJobs,
    isActuating: drivesOutputs,
    start: (context) =>
      new PluginJobRun(context, needs, drivesOutputs).start(startOf(context, name, null, Object.keys(settings))),
  };
}

/** Starts the automation of a plugin. */
const startPluginAutomation = (
  automation: DescribedAutomation,
  needs: PluginJobNeeds,
  context: JobContext,
): Promise<Job> =>
  new PluginJobRun(context, needs, true).start(
    startOf(context, automation.job, automation.name, Object.keys(automation.settings)),
  );

export interface AddedAutomation {
  readonly automation: DescribedAutomation;
  readonly needs: PluginJobNeeds;
}

/**
 * An automation job with the kinds that plugins add to it. `builtIn`: the program's own job; absent: all kinds are from plugins.
 */
export function withAutomations(
  job: DescribedAutomation['job'],
  builtIn: JobDefinition | undefined,
  added: readonly AddedAutomation[],
): JobDefinition {
  const variants = Object.fromEntries(
    added.map(({ automation: { name, help, settings, options, usesJobs } }) => [
      name,
      { help, settings, options, usesJobs },
    ]),
  );
  return {
    name: job,
    settings: {},
    options: {},
    isActuating: true,
    stopGroup: 'automations',
    ...builtIn,
    variants: { ...builtIn?.variants, ...variants },
    start: (context) => {
      const { automation_name: chosen } = context.options;
      const mine = added.find(({ automation }) => automation.name === chosen);
      if (mine !== undefined) return startPluginAutomation(mine.automation, mine.needs, context);
      if (builtIn === undefined) throw new ApiError('job_unknown', { job });
      return builtIn.start(context);
    },
  };
}
