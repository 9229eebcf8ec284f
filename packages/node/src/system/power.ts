import { ApiError, type Handler, type Handlers, type nodeSystemRoutes } from '@lcs/contract';
import type { TaskContext, TaskKind } from '@lcs/platform';
import { accept, acceptOrLocked, lockedAnswer } from './accept.ts';
import { hostCommand } from './host-command.ts';
import { locks, type NodeSystemOptions } from './node-system.ts';
import { RateWindow } from './rate-window.ts';

type Routes = typeof nodeSystemRoutes;
type PowerRoutes = Pick<
  Routes,
  | 'rebootNode'
  | 'rebootNodeByPatch'
  | 'shutDownNode'
  | 'shutDownNodeByPatch'
  | 'restartWebServer'
  | 'restartWebServerByPatch'
>;

const powerWindowMs = 15_000;
const restartWindowMs = 15_000;
/** How long a leader keeps running, so that clients can read the responses of the workers. */
const leaderWaitMs = 5000;

/** Rejects commands that this program may not run on its host. @throws ApiError host_no_right */
export function expectControl({ host }: Pick<NodeSystemOptions, 'host'>, what: string): void {
  if (host.refusal !== undefined) throw new ApiError('host_no_right', { what, cause: host.refusal });
}

interface PowerCommand {
  readonly kind: string;
  /** The command in an error: "may not …". */
  readonly what: string;
  readonly act: () => Promise<void>;
}

/** A task that stops all jobs, then runs a command of the machine. `release` frees its lock. */
function powerKind(
  { wire, isLeader, stopJobs }: NodeSystemOptions,
  { kind, what, act }: PowerCommand,
  release: () => void,
) {
  return {
    kind,
    // It does not wait for other tasks, so its lock is held separately.
    lane: 'stop',
    run: async (_: null, { signal, progress }: TaskContext) => {
      try {
        progress(null, 'Stopping jobs');
        await stopJobs();
        if (isLeader) {
          progress(null, 'Waiting for clients to read the response');
          await wire.sleep(leaderWaitMs, signal);
        }
        await hostCommand(what, act);
        return true;
      } finally {
        release();
      }
    },
  } satisfies TaskKind<null>;
}

/** Reboot, shutdown, restart of the program. */
export function powerHandlers(options: NodeSystemOptions): Handlers<PowerRoutes> {
  const { tasks, host, wire, isLeader } = options;
  let release = (): void => {};
  const rebootCommand = { kind: 'system.reboot', what: 'reboot', act: () => host.reboot() };
  const shutdownCommand = { kind: 'system.shutdown', what: 'shut down', act: () => host.shutDown() };
  const reboot = powerKind(options, rebootCommand, () => release());
  const shutdown = powerKind(options, shutdownCommand, () => release());
  const restart = {
    kind: 'system.restart_web_server',
    lock: locks.webRestart,
    whenBusy: 'refuse' as const,
    run: async (_: null) => {
      await hostCommand('restart the program', () => host.restartProgram());
      return true;
    },
  };
  for (const kind of [reboot, shutdown, restart]) tasks.register(kind);
  const now = () => wire.monotonic();
  const powerWindow = new RateWindow(powerWindowMs, now);
  const restartWindow = new RateWindow(restartWindowMs, now);

  const power =
    (kind: typeof reboot, what: string): Handler<Routes['rebootNode']> =>
    async () => {
      expectControl(options, what);
      const busy = [locks.update, locks.import].find((lock) => tasks.isBusy(lock));
      if (busy !== undefined) throw new ApiError('node_busy', { lock: busy });
      const held = tasks.tryHold(locks.power);
      if (held === undefined) return lockedAnswer(locks.power);
      try {
        powerWindow.check();
        release = held;
        const accepted = await accept(options, kind, null);
        powerWindow.take();
        return accepted;
      } catch (error) {
        held();
        throw error;
      }
    };
  const restartWebServer: Handler<Routes['restartWebServer']> = async () => {
    if (!isLeader) throw new ApiError('leader_only', {});
    expectControl(options, 'restart itself');
    return acceptOrLocked(options, restart, null, restartWindow);
  };
  return {
    rebootNode: power(reboot, 'reboot'),
    rebootNodeByPatch: power(reboot, 'reboot'),
    shutDownNode: power(shutdown, 'shut down'),
    shutDownNodeByPatch: power(shutdown, 'shut down'),
    restartWebServer,
    restartWebServerByPatch: restartWebServer,
  };
}
