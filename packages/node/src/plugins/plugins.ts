import { basename, join } from 'node:path';
import type { Json } from '@lcs/contract';
import type { OpticalReading } from '@lcs/domain';
import type { Clock, IniView, Log, Service } from '@lcs/platform';
import type { BusTopic } from '../jobs/job-bus.ts';
import type { JobDefinition } from '../jobs/job-definition.ts';
import { composePlugins, definitionsOf, type KnownPlugin, type LoadedFind } from './compose-plugins.ts';
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
  /** Plugins that are for leaders only add nothing elsewhere; on a leader only those add jobs, which need no board. */
  readonly isLeader: boolean;
  /** Of the program: what it remembers of plugins is another version's no more. */
  readonly version: string;
  readonly wire: Clock;
  /** The clock of the node, when that one is virtual. */
  readonly holds: Pick<Clock, 'hold'>;
  readonly log: Log;
  /** The jobs that the node has without plugins. */
  readonly own: () => readonly JobDefinition[];
  /** Takes the jobs that plugins add, in the place of those before. */
  readonly offer: (definitions: readonly JobDefinition[]) => Promise<void>;
  readonly config: () => IniView;
  /** What a running job publishes; undefined when it does not run. */
  readonly jobSettings: (job: string) => Readonly<Record<string, number | string>> | undefined;
  readonly optical?: BusTopic<OpticalReading>;
  readonly limits?: Partial<PluginLimits>;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** No job runs in a process that only tells what a plugin adds, or only answers requests. */
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
 * The plugins of a node: what lies in its folder, what each adds, and the processes in which they run. No code of a plugin
 * ever runs in the node's own process.
 */
export class Plugins implements Service {
  readonly name = 'plugins';
  /** Where plugins lie. */
  readonly folder: string;
  readonly #options: PluginsOptions;
  readonly #limits: PluginLimits;
  readonly #records: PluginRecords;
  readonly #children = new Set<PluginChild>();
  readonly #services = new Map<string, PluginService>();
  /** What plugins that lie in the folder have told, by their id, with the stamp that it holds for. */
  #told = new Map<string, { readonly stamp: string; readonly outcome: LoadedFind['outcome'] }>();
  #written = new Map<string, readonly string[]>();
  #known: readonly KnownPlugin[] = [];
  /** The look at the folder under way, and the one after it. */
  #looking: Promise<void> = Promise.resolve();
  #isUp = false;

  constructor(options: PluginsOptions) {
    this.#options = options;
    this.#limits = { ...defaultPluginLimits, ...options.limits };
    this.folder = join(options.dataFolder, 'plugins');
    const path = join(options.dataFolder, 'storage', 'plugins.json');
    this.#records = new PluginRecords({ path, program: options.version, log: options.log });
  }

  /**
   * Offers the jobs of the plugins that are as they were, without loading any; others are loaded in the background. To be
   * started before the jobs, so that those of plugins are resumed.
   */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const records = await this.#records.read();
    this.#told = new Map(
      [...records].map(([id, { stamp, description }]) => [id, { stamp, outcome: { description } }] as const),
    );
    this.#written = new Map([...records].map(([id, { files }]) => [id, files]));
    this.#isUp = true;
    try {
      await this.#compose(await findPlugins(this.folder));
    } catch (error) {
      // The node is of use without its plugins; listing them says the same.
      this.#options.log.error('The plugins cannot be listed', { error: textOf(error) });
      return;
    }
    this.refresh().catch((error: unknown) =>
      this.#options.log.error('Plugins could not be loaded', { error: textOf(error) }),
    );
  }

  /** Ends all processes at once: jobs have been stopped before. */
  async stop(): Promise<void> {
    this.#isUp = false;
    for (const child of this.#children) child.kill('The node was stopping.');
    await Promise.all([...this.#children].map((child) => child.ended));
    await this.#looking;
  }

  /** Those that lie in the folder, as of the last look. */
  all(): readonly KnownPlugin[] {
    return this.#known;
  }

  /** By its name or, of a single file, by the name of the file without its ending. */
  find(name: string): KnownPlugin | undefined {
    return (
      this.#known.find(({ identity }) => identity.name === name) ??
      this.#known.find(({ found }) => found.source !== 'package' && found.id.replace(/\.(js|ts)$/, '') === name)
    );
  }

  /**
   * Looks at the folder again and loads what is new; resolves when everything is known.
   * @throws what the file system says about the folder
   */
  refresh(): Promise<void> {
    const look = this.#looking.then(() => this.#look());
    this.#looking = look.catch(() => {});
    return look;
  }

  /** Answers a request to a route of a plugin. @throws ApiError plugin_route_not_found, plugin_request_invalid, plugin_failed */
  answer(
    plugin: KnownPlugin,
    method: 'GET' | 'POST',
    route: string,
    given: { query: Record<string, string>; body: Json },
  ) {
    const { name } = plugin.identity;
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

  /** Loads a file that lies elsewhere, without taking it in. @throws Error saying why it cannot be used */
  async try(entry: string): Promise<PluginDescription> {
    const outcome = await this.#load({ entry, id: basename(entry) });
    if ('error' in outcome) throw new PluginUnusable(outcome.error);
    return outcome.description;
  }

  /** What of this plugin runs: names of jobs and automations. */
  running({ description }: KnownPlugin): readonly string[] {
    const { jobSettings } = this.#options;
    const jobs = (description?.jobs ?? []).map(({ name }) => name).filter((name) => jobSettings(name) !== undefined);
    const automations = (description?.automations ?? []).filter(
      ({ job, name }) => jobSettings(job)?.automation_name === name,
    );
    return [...jobs, ...automations.map(({ job, name }) => `${job} (${name})`)];
  }

  async #look(): Promise<void> {
    if (!this.#isUp) return;
    const finds = await findPlugins(this.folder);
    let isNew = finds.length !== this.#known.length || finds.some(({ id, stamp }) => this.#stampOfKnown(id) !== stamp);
    for (const found of finds) {
      const told = this.#told.get(found.id);
      if (told !== undefined && told.stamp === found.stamp && told.outcome !== 'not yet') continue;
      if (!this.#isUp) return;
      this.#told.set(found.id, { stamp: found.stamp, outcome: await this.#load(found) });
      isNew = true;
    }
    if (isNew && this.#isUp) await this.#compose(finds);
  }

  #stampOfKnown(id: string): string | undefined {
    return this.#known.find(({ found }) => found.id === id)?.found.stamp;
  }

  async #load(found: Pick<FoundPlugin, 'entry' | 'id'>): Promise<Exclude<LoadedFind['outcome'], 'not yet'>> {
    const { log } = this.#options;
    const child = this.#child(found, found.id, withoutJob);
    try {
      return { description: checkDescription(await child.callWithin(this.#limits.loadMs, 'describe', null)) };
    } catch (error) {
      const reason = textOf(error);
      log.error('A plugin cannot be used', { plugin: found.id, error: reason });
      const isOurs = error instanceof PluginUnusable;
      return { error: isOurs ? reason : `It could not be loaded: ${reason}` };
    } finally {
      child.kill('It was asked what it adds.');
      await child.ended;
    }
  }

  /** Puts together what is known of the plugins that lie in the folder, offers their jobs, and remembers it. */
  async #compose(finds: readonly FoundPlugin[]): Promise<void> {
    const { offer, isLeader, optical } = this.#options;
    const own = this.#options.own();
    const loaded = finds.map((found): LoadedFind => {
      const told = this.#told.get(found.id);
      return { found, outcome: told?.stamp === found.stamp ? told.outcome : 'not yet' };
    });
    const known = composePlugins(loaded, own);
    const runnable = known.filter(({ identity }) => identity.leaderOnly === isLeader);
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
      const isStillTheirs = (name: string) => [...written.values()].some((list) => list.includes(name));
      if (!written.has(id))
        await placeFiles(
          this.folder,
          new Map(),
          files.filter((name) => !isStillTheirs(name)),
        );
    }
    this.#written = written;
    await this.#records.write(records);
  }

  #child({ entry }: Pick<FoundPlugin, 'entry'>, plugin: string, serve: PluginChildOptions['serve']): PluginChild {
    if (!this.#isUp) throw new Error('The node is stopping.');
    const { wire, holds, log } = this.#options;
    const child = new PluginChild({ plugin, entry, wire, holds, log, limits: this.#limits, serve });
    this.#children.add(child);
    void child.ended.then(() => this.#children.delete(child));
    return child;
  }
}
