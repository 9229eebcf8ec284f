import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import { type AcceptedTask, type TaskContext, type TaskKind, type TaskRunner, writeFileDurably } from '@lcs/platform';
import { usbLock } from '../host/usb-target.ts';
import type { KnownPlugin } from './compose-plugins.ts';
import { packageJsonIn } from './package-archive.ts';
import { type PackageTool, PackageToolFailed } from './package-tool.ts';
import { PluginUnusable } from './plugin-description.ts';
import { identityInPackage, type PluginIdentity, pluginPackage, stemOf } from './plugin-folder.ts';
import { findSource, isPackageFile, type PluginSource, type PluginSources, sourceOnDrive } from './plugin-source.ts';
import type { Plugins } from './plugins.ts';

export interface PluginChangesOptions {
  readonly plugins: Plugins;
  readonly tasks: TaskRunner;
  readonly tool: PackageTool;
  readonly sources: PluginSources;
  readonly isLeader: boolean;
}

type InstallInput = { readonly name: string; readonly source: string | null; readonly version: string | null };
type UsbInput = { readonly path: string };
type UninstallInput = { readonly name: string };

const failed = (plugin: string, cause: string) => new ApiError('plugin_not_installed', { plugin, cause });

/** The additions of a plugin, in a sentence. */
function gains({ description }: KnownPlugin): string {
  const jobs = (description?.jobs ?? []).map(({ name }) => name);
  const automations = (description?.automations ?? []).map(({ name }) => name);
  const parts = [
    ...(jobs.length > 0 ? [`jobs: ${jobs.join(', ')}`] : []),
    ...(automations.length > 0 ? [`automations: ${automations.join(', ')}`] : []),
  ];
  return parts.length > 0 ? ` It adds ${parts.join('; ')}.` : '';
}

/** Installs and removes plugins, one after the other. Create it before `tasks` starts, because it registers its kinds. */
export class PluginChanges {
  readonly #options: PluginChangesOptions;
  readonly #install: TaskKind<InstallInput>;
  readonly #fromDrive: TaskKind<UsbInput>;
  readonly #uninstall: TaskKind<UninstallInput>;

  constructor(options: PluginChangesOptions) {
    this.#options = options;
    this.#install = {
      kind: 'plugins.install',
      lock: 'plugins-lock',
      run: ({ name, source, version }, context) =>
        source === null ? this.#installNamed(name, version, context) : this.#installFound(name, source, context),
    };
    this.#fromDrive = {
      kind: 'plugins.install_from_usb',
      locks: () => ['plugins-lock', usbLock],
      run: async ({ path }, context) =>
        this.#installFile(undefined, await sourceOnDrive(path, options.sources), context),
    };
    this.#uninstall = {
      kind: 'plugins.uninstall',
      lock: 'plugins-lock',
      run: ({ name }, context) => this.#remove(name, context),
    };
    options.tasks.register(this.#install);
    options.tasks.register(this.#fromDrive);
    options.tasks.register(this.#uninstall);
  }

  /** @param source ID of an upload or a path on a mounted drive; null: the registry, in this or the newest version */
  install(name: string, source: string | null, version: string | null): Promise<AcceptedTask> {
    return this.#options.tasks.submit(this.#install, { name, source, version });
  }

  installFromDrive(path: string): Promise<AcceptedTask> {
    return this.#options.tasks.submit(this.#fromDrive, { path });
  }

  uninstall(name: string): Promise<AcceptedTask> {
    return this.#options.tasks.submit(this.#uninstall, { name });
  }

  async #installFound(name: string, source: string, context: TaskContext): Promise<true> {
    return this.#installFile(name, await findSource(source, this.#options.sources), context);
  }

  /** @param wanted the name of the plugin, if one was given */
  async #installFile(wanted: string | undefined, source: PluginSource, context: TaskContext): Promise<true> {
    return isPackageFile(source)
      ? this.#installArchive(wanted, source, context)
      : this.#installSingle(wanted, source, context);
  }

  async #installNamed(name: string, version: string | null, context: TaskContext): Promise<true> {
    const { plugins, tool, isLeader } = this.#options;
    context.progress(null, `Requesting ${name} from the registry.`);
    const what = `${name}@${version ?? 'latest'}`;
    await this.#tooled(name, () => tool.install(plugins.folder, what, { isOffline: false, signal: context.signal }));
    const found = await pluginPackage(join(plugins.folder, 'node_modules', name));
    const isForHere = found?.identity === undefined || !found.identity.leaderOnly || isLeader;
    if (found !== undefined && isForHere) return this.#taken(name, 'package', context);
    await this.#tooled(name, () => tool.remove(plugins.folder, name, context.signal));
    await plugins.refresh();
    if (found === undefined) throw failed(name, 'The package is not a plugin: its package.json has no "lcs".');
    return skipped(name, context);
  }

  async #installArchive(
    wanted: string | undefined,
    { path, fileName }: PluginSource,
    context: TaskContext,
  ): Promise<true> {
    const { plugins, tool, isLeader } = this.#options;
    const text = await packageJsonIn(path);
    const identity = text === undefined ? undefined : identityInPackage(text);
    if (identity === undefined)
      throw failed(wanted ?? fileName, 'The file is not a package of a plugin: it has no package.json with "lcs".');
    const { name } = identity;
    expectName(wanted, [name]);
    if (identity.leaderOnly && !isLeader) return skipped(name, context);
    context.progress(null, `Unpacking ${name}.`);
    await this.#tooled(name, () => tool.install(plugins.folder, path, { isOffline: true, signal: context.signal }));
    return this.#taken(name, 'package', context);
  }

  async #installSingle(
    wanted: string | undefined,
    { path, fileName }: PluginSource,
    context: TaskContext,
  ): Promise<true> {
    const { plugins, isLeader } = this.#options;
    const stem = stemOf(fileName);
    const { manifest } = await plugins.try(path).catch((error: unknown) => {
      throw error instanceof PluginUnusable ? failed(wanted ?? stem, error.message) : error;
    });
    const { name = stem } = manifest;
    expectName(wanted, [name, stem]);
    if (manifest.leader_only && !isLeader) return skipped(name, context);
    await plugins.refresh();
    const before = plugins.find(name);
    const there = plugins.all().find(({ found }) => found.source !== 'package' && found.id === fileName);
    if (there !== undefined && there.fault === undefined && there.identity.name !== name) {
      const cause = `plugins/${fileName} is the file of ${there.identity.name}. Give this file another name.`;
      throw failed(name, cause);
    }
    await mkdir(plugins.folder, { recursive: true });
    await writeFileDurably(join(plugins.folder, fileName), await readFile(path, 'utf8'), { mode: 0o600 });
    // The new file replaces one of the same plugin with another name.
    if (before !== undefined && before.found.source !== 'package' && before.found.id !== fileName)
      await rm(join(plugins.folder, before.found.id), { force: true });
    return this.#taken(name, `plugins/${fileName}`, context);
  }

  async #remove(name: string, context: TaskContext): Promise<true> {
    const { plugins, tool } = this.#options;
    await plugins.refresh();
    const plugin = plugins.find(name);
    if (plugin === undefined) {
      context.progress(1, `${name} was not installed.`);
      return true;
    }
    const running = plugins.running(plugin);
    if (running.length > 0) throw new ApiError('plugin_in_use', { plugin: name, jobs: running.join(', ') });
    if (plugin.found.source === 'package') {
      await this.#tooled(
        name,
        () => tool.remove(plugins.folder, plugin.found.id, context.signal),
        'plugin_not_removed',
      );
    } else {
      await rm(join(plugins.folder, plugin.found.id), { force: true });
    }
    await plugins.refresh();
    context.progress(1, `${plugin.identity.name} ${plugin.identity.version ?? ''}`.trim().concat(' was removed.'));
    return true;
  }

  /** The file is in its place: loads it without a restart. */
  async #taken(name: string, source: string, context: TaskContext): Promise<true> {
    const { plugins } = this.#options;
    await plugins.refresh();
    const isIt = ({ found, identity }: KnownPlugin) => found.source === source && identity.name === name;
    const plugin = plugins.all().find(isIt);
    if (plugin === undefined) throw failed(name, 'It is not in the list of plugins after its installation.');
    if (plugin.fault !== undefined) throw failed(name, `It is installed but cannot be used: ${plugin.fault.message}`);
    context.progress(1, `${titleOf(plugin.identity)} is installed.${gains(plugin)}`);
    return true;
  }

  async #tooled(
    plugin: string,
    work: () => Promise<void>,
    code: 'plugin_not_installed' | 'plugin_not_removed' = 'plugin_not_installed',
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw error instanceof PackageToolFailed ? new ApiError(code, { plugin, cause: error.message }) : error;
    }
  }
}

const titleOf = ({ name, version }: PluginIdentity): string => (version === null ? name : `${name} ${version}`);

function expectName(wanted: string | undefined, names: readonly string[]): void {
  if (wanted === undefined || names.includes(wanted)) return;
  throw failed(wanted, `The file is that of ${names[0]}.`);
}

function skipped(name: string, context: TaskContext): true {
  context.progress(1, `${name} is for leaders only: it was not installed here.`);
  return true;
}
