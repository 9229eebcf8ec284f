import {
  ApiError,
  type ChangePlugin,
  type Handlers,
  type Json,
  type leaderPluginRoutes,
  type UnitOutcome,
} from '@lcs/contract';
import { leaderSettings } from '@lcs/domain';
import {
  expectPluginChanges,
  findSource,
  nameOfSource,
  type PluginSource,
  type PluginSources,
  type Plugins,
  pluginCalls,
  sourceOnDrive,
} from '@lcs/node';
import { type IniView, type TaskContext, type TaskKind, toTimestamp } from '@lcs/platform';
import type { LeaderContext, UnitCommand } from '../core/leader-context.ts';
import { loadLeaderSetting } from '../core/leader-file.ts';
import { acceptedTask } from '../core/tasks.ts';
import { failed, jsonOf } from '../fleet/outcome.ts';
import type { FleetTasks } from '../jobs/fleet-tasks.ts';
import { addressedUnits } from '../queries/addressed-units.ts';
import { PluginIndex } from './plugin-index.ts';
import { FileRejected, sendFile } from './send-file.ts';

type Routes = typeof leaderPluginRoutes;
type Needs = Pick<
  LeaderContext,
  'leader' | 'clock' | 'database' | 'dataFolder' | 'fleet' | 'nodeHeaders' | 'nodeAgent' | 'tasks' | 'units' | 'wire'
>;

export interface LeaderPluginsOptions {
  readonly config: () => IniView;
  /** Uploads and drives of the leader. */
  readonly sources: PluginSources;
  /** Those of the leader's own node. */
  readonly plugins: Plugins;
  readonly unitTasks: FleetTasks;
  /** Instead of the setting in `leader.ini`. */
  readonly indexUrl?: string | undefined;
}

/** A change in the form of a node's route. */
type PluginChange = Omit<ChangePlugin, 'env'>;

type ChangeInput = {
  readonly units: readonly string[];
  readonly change: 'install' | 'uninstall';
  readonly body: PluginChange;
  /** Source of a file to be sent: ID of an upload, or a path on a drive of the leader. */
  readonly source: string | null;
};
type DriveInput = { readonly units: readonly string[]; readonly path: string };

/** A registry may be slow, and a unit may have other plugins to install first. */
const changeMs = 600_000;

/** Cached reads from units that a plugin changes. */
const changedPaths = [
  '/unit_api/plugins',
  '/unit_api/capabilities',
  '/unit_api/calibration_protocols',
  '/unit_api/jobs/descriptors',
  '/unit_api/settings/descriptors',
  '/unit_api/automations',
];

/** Changes plugins of units. A unit makes its changes sequentially; the leader sends them to all units concurrently. */
class UnitPlugins {
  readonly #context: Needs;
  readonly #options: LeaderPluginsOptions;
  readonly change: TaskKind<ChangeInput>;
  readonly fromDrive: TaskKind<DriveInput>;

  constructor(context: Needs, options: LeaderPluginsOptions) {
    this.#context = context;
    this.#options = options;
    // Without a lock: they wait for units, and the leader's own node is one of these.
    this.change = { kind: 'change_unit_plugins', lane: 'stop', run: (input, task) => this.#change(input, task) };
    this.fromDrive = {
      kind: 'install_from_leader_usb',
      lane: 'stop',
      run: (input, task) => this.#fromDrive(input, task),
    };
    context.tasks.register(this.change);
    context.tasks.register(this.fromDrive);
  }

  async #change({ units, change, body, source }: ChangeInput, { signal }: TaskContext): Promise<Json> {
    const path = `/unit_api/plugins/${change}`;
    if (source === null) return this.#command(units.map((unit) => ({ unit, method: 'POST', path, body })));
    const found = await this.#found(() => findSource(source, this.#options.sources), units);
    if ('outcomes' in found) return jsonOf(found.outcomes);
    return this.#sent(units, found.file, signal, (uploadId) => ({ path, body: withSource(body, uploadId) }), {
      path,
      body,
    });
  }

  async #fromDrive({ units, path: filepath }: DriveInput, { signal }: TaskContext): Promise<Json> {
    const found = await this.#found(() => sourceOnDrive(filepath, this.#options.sources), units);
    if ('outcomes' in found) return jsonOf(found.outcomes);
    const args = [await nameOfSource(found.file)];
    const install = (source: string) => ({ path: '/unit_api/plugins/install', body: { args, options: { source } } });
    return this.#sent(units, found.file, signal, install, {
      path: '/unit_api/plugins/install-from-usb',
      body: { filepath },
    });
  }

  /** The file; or, when it cannot be installed, an outcome for each unit. */
  async #found(find: () => Promise<PluginSource>, units: readonly string[]) {
    try {
      return { file: await find() };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { error: message, cause, remediation, status } = error.body;
      const outcomeOf = (unit: string) => failed(unit, 'task_failed', { message, cause, remediation }, status, false);
      return { outcomes: Object.fromEntries(units.map((unit) => [unit, outcomeOf(unit)])) };
    }
  }

  /** Sends the file to each unit except the leader, which has it, and starts the installation there. */
  async #sent(
    units: readonly string[],
    file: PluginSource,
    signal: AbortSignal,
    there: (uploadId: string) => Pick<UnitCommand, 'path' | 'body'>,
    here: Pick<UnitCommand, 'path' | 'body'>,
  ): Promise<Json> {
    const { leader } = this.#context;
    const sent = await Promise.all(
      units.map(async (unit): Promise<UnitCommand | UnitOutcome> => {
        if (unit === leader) return { unit, method: 'POST', ...here };
        const uploadId = await this.#send(unit, file, signal);
        return typeof uploadId === 'string' ? { unit, method: 'POST', ...there(uploadId) } : uploadId;
      }),
    );
    const isCommand = (one: UnitCommand | UnitOutcome): one is UnitCommand => 'method' in one;
    const unsent = sent.filter((one): one is UnitOutcome => !isCommand(one)).map((one) => [one.unit, one] as const);
    return this.#command(sent.filter(isCommand), Object.fromEntries(unsent));
  }

  async #send(unit: string, file: PluginSource, signal: AbortSignal): Promise<string | UnitOutcome> {
    const base = this.#context.units.addressOf(unit);
    try {
      if (base === undefined) throw new FileRejected('The leader has no address of the unit: it has not enrolled.');
      const { wire, nodeHeaders, nodeAgent } = this.#context;
      return await sendFile(base, file, { signal, wire, nodeHeaders, nodeAgent });
    } catch (error) {
      if (!(error instanceof FileRejected)) throw error;
      const message = `The file could not be sent to ${unit}.`;
      return failed(unit, 'connection_error', { message, cause: error.message }, null, true);
    }
  }

  async #command(commands: readonly UnitCommand[], others: Readonly<Record<string, UnitOutcome>> = {}): Promise<Json> {
    const { fleet } = this.#context;
    const units = commands.map(({ unit }) => unit);
    fleet.forget(units, changedPaths);
    const outcomes = await fleet.command(commands, { lane: 'stop', taskMs: changeMs });
    fleet.forget(units, changedPaths);
    return jsonOf({ ...others, ...outcomes });
  }
}

const withSource = (body: PluginChange, source: string): PluginChange => ({
  ...body,
  options: { ...body.options, source },
});

/** The routes of plugins below `/api`. Call it before the tasks start. */
export function createLeaderPlugins(context: Needs, options: LeaderPluginsOptions): { handlers: Handlers<Routes> } {
  const { leader, dataFolder, tasks, clock, wire } = context;
  const { config, plugins, unitTasks, indexUrl } = options;
  const index = new PluginIndex({
    url: async () => indexUrl ?? (await loadLeaderSetting(dataFolder, leaderSettings.pluginIndex)),
    clock,
    wire,
  });
  /** Why installations are refused; null: they are not. */
  const installProblem = () =>
    expectPluginChanges(dataFolder, config()).then(
      () => null,
      (error: unknown) => {
        if (error instanceof ApiError) return `${error.body.cause} ${error.body.remediation}`;
        throw error;
      },
    );
  const units = new UnitPlugins(context, options);
  const addressed = (unit: string) => addressedUnits(context, 'units', unit);
  const accepted = ({ taskId }: { readonly taskId: string }) =>
    ({ status: 202, body: acceptedTask(leader, taskId) }) as const;
  type Change = { readonly params: { readonly reactor_unit: string }; readonly body: ChangePlugin };
  const change =
    (kind: ChangeInput['change']) =>
    async ({ params, body: { env: _, ...body } }: Change) => {
      await expectPluginChanges(dataFolder, config());
      const source = kind === 'install' ? (body.options?.source ?? null) : null;
      const input = { units: await addressed(params.reactor_unit), change: kind, body, source };
      return accepted(await tasks.submit(units.change, input));
    };
  const fromDrive: Handlers<Routes>['installUnitPluginFromLeaderUsb'] = async ({ params, body }) => {
    await expectPluginChanges(dataFolder, config());
    const input = { units: await addressed(params.reactor_unit), path: body.filepath };
    return accepted(await tasks.submit(units.fromDrive, input));
  };
  const { askPlugin, callPlugin } = pluginCalls(plugins);
  return {
    handlers: {
      listUnitPlugins: async ({ params }) =>
        unitTasks.read(await addressed(params.reactor_unit), '/unit_api/plugins/installed', { isCached: true }),
      listAvailablePlugins: async () => {
        const { source, readAtMs, problem, plugins: found } = await index.read();
        const checked_at = readAtMs === null ? null : toTimestamp(readAtMs);
        const install_problem = await installProblem();
        return { status: 200, body: { source, checked_at, problem, install_problem, plugins: [...found] } };
      },
      installUnitPlugin: change('install'),
      installUnitPluginByPatch: change('install'),
      uninstallUnitPlugin: change('uninstall'),
      uninstallUnitPluginByPatch: change('uninstall'),
      installUnitPluginFromLeaderUsb: fromDrive,
      installUnitPluginFromLeaderUsbByPatch: fromDrive,
      askLeaderPlugin: askPlugin,
      callLeaderPlugin: callPlugin,
    },
  };
}
