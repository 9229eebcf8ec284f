import { basename, join } from 'node:path';
import { ApiError, type Json } from '@lcs/contract';
import type { OpticalReading } from '@lcs/domain';
import type { Clock, IniView, Log, Service } from '@lcs/platform';
import type { BusTopic } from '../jobs/job-bus.ts';
import type { JobDefinition } from '../jobs/job-definition.ts';
import { composePlugins, definitionsOf, type KnownPlugin, type LoadOutcome } from './compose-plugins.ts';
import { defaultPluginLimits, PluginChild, type PluginChildOptions, type PluginLimits } from './plugin-child.ts';
import { checkDescription, type PluginDescription, PluginUnusable } from './plugin-description.ts';
import { filesOf, placeFiles } from './plugin-files.ts';
import { type FoundPlugin, findPlugins } from './plugin-folder.ts';
import { type PluginRecord, PluginRecords } from './plugin-records.ts';
import { PluginService } from './plugin-service.ts';

export interface PluginsOptions {
  /** The node's own unit name. */
  readonly unit: string;
  readonly dataFolder: string;
  /** Leader-only plugins add nothing on other nodes. */
  readonly isLeader: boolean;
  /** The other plugins add jobs only to a node with a board. */
  readonly hasBoard: boolean;
  /** The version of the program; stored descriptions of another version are ignored. */
  readonly version: string;
  readonly wire: Clock;
  /** The clock of the node, when that one is virtual. */
  readonly holds: Pick<Clock, 'hold'>;
  readonly log: Log;
  /** The jobs that the node has without plugins. */
  readonly own: () => readonly JobDefinition[];
  /** Replaces the jobs of plugins. */
  readonly offer: (definitions: readonly JobDefinition[]) => Promise<void>;
  readonly config: () => IniView;
  /** What a running job publishes; undefined when it does not run. */
  readonly jobSettings: (job: string) => Readonly<Record<string, number | string>> | undefined;
  readonly optical?: BusTopic<OpticalReading>;
  readonly limits?: Partial<PluginLimits>;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A process that only describes a plugin or serves requests runs no job. */
const notAJob = (): never => {
  throw new Error('Only a job can do this.');
};
const withoutJob: PluginChildOptions['serve'] = {
  publish: notAJob,
  reading: notAJob,
  event: notAJob,
  log: notAJob,
  repeat: notAJob,
  unrepeat: notAJob,
  listen: notAJob,
  sleepFor: notAJob,
  lease: notAJob,
  setOutput: notAJob,
  releaseLease: notAJob,
  jobSettings: notAJob,
  done: () => null,
  failed: () => null,
};

/**
 * The plugins of a node: their folder, their descriptions, and their processes. Code of a plugin never runs in the node's own process.
 */
export class Plugins implements Service {
  readonly name = 'plugins';
  /** The folder of plugins. */
  readonly folder: string;
  readonly #options: PluginsOptions;
  readonly #limits: PluginLimits;
  readonly #records: PluginRecords;
  readonly #children = new Set<PluginChild>();
  readonly #services = new Map<string, PluginService>();
  /** The descriptions of the folder's plugins by ID, with their stamps. */
  #descriptions = new Map<string, { readonly stamp: string; readonly outcome: LoadOutcome['outcome'] }>();
  #written = new Map<string, readonly string[]>();
  #known: readonly KnownPlugin[] = [];
  /** The running scan of the folder, and the one after it. */
  #scan: Promise<void> = Promise.resolve();
  #isStarted = false;

  constructor(options: PluginsOptions) {
    this.#options = options;
    this.#limits = { ...defaultPluginLimits, ...options.limits };
    this.folder = join(options.dataFolder, 'plugins');
    const path = join(options.dataFolder, 'storage', 'plugins.json');
    this.#records = new PluginRecords({ path, program: options.version, log: options.log });
  }

  /**
   * Adds the jobs of unchanged plugins without loading them; others are loaded in the background. Start this before the jobs, so that
   * those of plugins are resumed.
   */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const records = await this.#records.read();
    this.#descriptions = new Map(
      [...records].map(([id, { stamp, description }]) => [id, { stamp, outcome: { description } }] as const),
    );
    this.#written = new Map([...records].map(([id, { files }]) => [id, files]));
    this.#isStarted = true;
    try {
      await this.#compose(await findPlugins(this.folder));
    } catch (error) {
      // The node works without its plugins; their list reports the same error.
      this.#options.log.error('The plugins cannot be listed', { error: textOf(error) });
      return;
    }
    this.refresh().catch((error: unknown) =>
      this.#options.log.error('Plugins could not be loaded', { error: textOf(error) }),
    );
  }

  /** Ends all processes at once: jobs have been stopped before. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    for (const child of this.#children) child.kill('The node was stopping.');
    await Promise.all([...this.#children].map((child) => child.ended));
    await this.#scan;
  }

  /** The plugins of the last scan. */
  all(): readonly KnownPlugin[] {
    return this.#known;
  }

  /** By its name or, of a single file, by the name of the file without its extension. */
  find(name: string): KnownPlugin | undefined {
    return (
      this.#known.find(({ identity }) => identity.name === name) ??
      this.#known.find(({ found }) => found.source !== 'package' && found.id.replace(/\.(js|ts)$/, '') === name)
    );
  }

  /**
   * Scans the folder and loads new plugins; resolves when all are loaded. @throws the file system's error
   */
  refresh(): Promise<void> {
    const scan = this.#scan.then(() => this.#scanFolder());
    this.#scan = scan.catch(() => {});
    return scan;
  }

  /** Answers a request to a route of a plugin. @throws ApiError plugin_route_not_found, plugin_request_invalid, plugin_failed */
  async answer(
    plugin: KnownPlugin,
    method: 'GET' | 'POST',
    route: string,
    given: { query: Record<string, string>; body: Json },
  ): Promise<Json> {
    const { name } = plugin.identity;
    // A plugin that is being loaded has no routes yet: no service is kept for it.
    const isDeclared = plugin.description?.routes.some((one) => one.method === method && one.path === route);
    if (!isDeclared) throw new ApiError('plugin_route_not_found', { plugin: name, method, route });
    const { unit, config, jobSettings, wire } = this.#options;
    const before = this.#services.get(name);
    const service =
      before !== undefined && before.stamp === plugin.found.stamp
        ? before
        : new PluginService({
            plugin,
            unit,
            config: () => ({ ...config() }),
            wire,
            limits: this.#limits,
            child: () =>
              this.#child(plugin.found, name, { ...withoutJob, jobSettings: (job) => jobSettings(job) ?? null }),
          });
    if (service !== before) before?.end();
    this.#services.set(name, service);
    return service.answer(method, route, given);
  }

  /** Loads a file from elsewhere without installing it. @throws Error with the reason if it is unusable */
  async try(entry: string): Promise<PluginDescription> {
    const outcome = await this.#load({ entry, id: basename(entry) });
    if ('fault' in outcome) throw new PluginUnusable(outcome.fault);
    return outcome.description;
  }

  /** The running jobs and automations of this plugin. */
  running({ description }: KnownPlugin): readonly string[] {
    const { jobSettings } = this.#options;
    const jobs = (description?.jobs ?? []).map(({ name }) => name).filter((name) => jobSettings(name) !== undefined);
    const automations = (description?.automations ?? []).filter(
      ({ job, name }) => jobSettings(job)?.automation_name === name,
    );
    return [...jobs, ...automations.map(({ job, name }) => `${job} (${name})`)];
  }

  async #scanFolder(): Promise<void> {
    if (!this.#isStarted) return;
    const finds = await findPlugins(this.folder);
    let isNew = finds.length !== this.#known.length || finds.some(({ id, stamp }) => this.#stampOfKnown(id) !== stamp);
    for (const found of finds) {
      const known = this.#descriptions.get(found.id);
      if (known !== undefined && known.stamp === found.stamp && known.outcome !== 'not yet') continue;
      if (!this.#isStarted) return;
      this.#descriptions.set(found.id, { stamp: found.stamp, outcome: await this.#load(found) });
      isNew = true;
    }
    if (isNew && this.#isStarted) await this.#compose(finds);
  }

  #stampOfKnown(id: string): string | undefined {
    return this.#known.find(({ found }) => found.id === id)?.found.stamp;
  }

  async #load(found: Pick<FoundPlugin, 'entry' | 'id'>): Promise<Exclude<LoadOutcome['outcome'], 'not yet'>> {
    const { log } = this.#options;
    const child = this.#child(found, found.id, withoutJob);
    try {
      return { description: checkDescription(await child.callWithin(this.#limits.loadMs, 'describe', null)) };
    } catch (error) {
      const reason = textOf(error);
      log.error('A plugin cannot be used', { plugin: found.id, error: reason });
      if (error instanceof PluginUnusable) return { fault: error };
      return { fault: { code: 'not_loaded', message: `It could not be loaded: ${reason}` } };
    } finally {
      child.kill('Its description is known.');
      await child.ended;
    }
  }

  /** Combines the known plugins of the folder, adds their jobs and stores their descriptions. */
  async #compose(finds: readonly FoundPlugin[]): Promise<void> {
    const { offer, isLeader, hasBoard, optical } = this.#options;
    const own = this.#options.own();
    const loaded = finds.map((found): LoadOutcome => {
      const stored = this.#descriptions.get(found.id);
      return { found, outcome: stored?.stamp === found.stamp ? stored.outcome : 'not yet' };
    });
    const known = composePlugins(loaded, own);
    const runnable = known.filter(({ identity }) => (identity.leaderOnly ? isLeader : hasBoard));
    const needsOf = ({ found, identity: { name } }: KnownPlugin) => ({
      plugin: name,
      child: (serve: PluginChildOptions['serve']) => this.#child(found, name, serve),
      ...(optical ? { optical } : {}),
    });
    await offer(definitionsOf(runnable, own, needsOf));
    this.#known = known;
    await this.#remember();
  }

  async #remember(): Promise<void> {
    const records = new Map<string, PluginRecord>();
    const written = new Map<string, readonly string[]>();
    for (const { found, identity, description } of this.#known) {
      const before = this.#written.get(found.id) ?? [];
      const isOfUse = description !== undefined && (!identity.leaderOnly || this.#options.isLeader);
      const files = isOfUse ? filesOf(identity.name, description) : new Map<string, string>();
      await placeFiles(this.folder, files, before);
      written.set(found.id, [...files.keys()]);
      if (description === undefined) continue;
      records.set(found.id, { stamp: found.stamp, description, files: [...files.keys()] });
    }
    for (const [id, files] of this.#written) {
      const isStillUsed = (name: string) => [...written.values()].some((list) => list.includes(name));
      if (!written.has(id))
        await placeFiles(
          this.folder,
          new Map(),
          files.filter((name) => !isStillUsed(name)),
        );
    }
    this.#written = written;
    await this.#records.write(records);
  }

  #child({ entry }: Pick<FoundPlugin, 'entry'>, plugin: string, serve: PluginChildOptions['serve']): PluginChild {
    if (!this.#isStarted) throw new ApiError('shutting_down', {});
    const { wire, holds, log } = this.#options;
    const child = new PluginChild({ plugin, entry, wire, holds, log, limits: this.#limits, serve });
    this.#children.add(child);
    void child.ended.then(() => this.#children.delete(child));
    return child;
  }
}
