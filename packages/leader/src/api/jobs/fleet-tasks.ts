import type { AcceptedTask, Json } from '@lcs/contract';
import type { TaskKind } from '@lcs/platform';
import { jsonOf } from '../../fleet/outcome.ts';
import type { CommandOptions, LeaderContext, UnitCommand } from '../../leader-context.ts';
import { acceptedTask } from '../accepted-task.ts';
import { type ProfilesAsked, withProfilesStopped } from './profiles-stopped.ts';

type Needs = Pick<LeaderContext, 'leader' | 'tasks' | 'fleet' | 'wire'>;

interface CommandInput {
  readonly [name: string]: Json;
  readonly commands: readonly UnitCommand[];
  readonly idempotencyKey: string | null;
  readonly deadline: number | null;
  readonly profiles: ProfilesAsked | null;
}

interface ReadInput {
  readonly [name: string]: Json;
  readonly units: readonly string[];
  readonly path: string;
  readonly isCached: boolean;
}

/** What a request to the leader says about the commands that come from it. */
type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

interface Accepted {
  readonly status: 202;
  readonly body: AcceptedTask;
}

export interface FleetTasks {
  /** Commands units in a task. `headers` are those of the request that wants it. */
  command(commands: readonly UnitCommand[], headers: RequestHeaders): Promise<Accepted>;
  /** The same for stops, which wait for nothing. */
  stop(commands: readonly UnitCommand[], headers: RequestHeaders, options?: StopOptions): Promise<Accepted>;
  /** Asks units for something in a task. */
  read(units: readonly string[], path: string, options?: { readonly isCached?: boolean }): Promise<Accepted>;
}

interface StopOptions {
  /** The leader is among those asked, for its profiles; the result names those that ended. */
  readonly profiles?: ProfilesAsked;
}

const textOf = (value: string | string[] | undefined): string | null =>
  value === undefined ? null : Array.isArray(value) ? value.join(',') : value;

/**
 * The tasks behind the routes that talk to units. They wait for units, not for this machine, and the fleet bounds them: so
 * none of them waits for a place among the other tasks. A command that a restart has cut is not sent again: whoever wanted
 * it may want something else by now. Call it before the tasks are started.
 */
export function fleetTasks({ leader, tasks, fleet, wire }: Needs): FleetTasks {
  const commanding = (kind: string, lane: CommandOptions['lane']): TaskKind<CommandInput> => ({
    kind,
    lane: 'stop',
    run: async ({ commands, idempotencyKey, deadline, profiles }) => {
      const outcomes = await fleet.command(commands, {
        lane,
        ...(idempotencyKey === null ? {} : { idempotencyKey }),
        ...(deadline === null ? {} : { deadline }),
      });
      return jsonOf(profiles === null ? outcomes : withProfilesStopped(outcomes, profiles));
    },
  });
  const commandUnits = commanding('command_units', 'command');
  const stopUnits = commanding('stop_units', 'stop');
  const readUnits: TaskKind<ReadInput> = {
    kind: 'read_units',
    lane: 'stop',
    run: async ({ units, path, isCached }): Promise<Json> => jsonOf(await fleet.read(units, path, { isCached })),
  };
  for (const kind of [commandUnits, stopUnits]) tasks.register(kind);
  tasks.register(readUnits);

  const accepted = ({ taskId }: { readonly taskId: string }): Accepted => ({
    status: 202,
    body: acceptedTask(leader, taskId),
  });
  const inputOf = (
    commands: readonly UnitCommand[],
    headers: RequestHeaders,
    { profiles = null }: { readonly profiles?: ProfilesAsked | null },
  ): CommandInput => {
    const leftMs = textOf(headers['x-deadline-ms']);
    return {
      commands,
      idempotencyKey: textOf(headers['idempotency-key']),
      // Counted from now: what checking the request took is less than what is kept back for the way.
      deadline: leftMs === null ? null : wire.monotonic() + Number(leftMs),
      profiles,
    };
  };

  return {
    command: async (commands, headers) => accepted(await tasks.submit(commandUnits, inputOf(commands, headers, {}))),
    stop: async (commands, headers, options = {}) =>
      accepted(await tasks.submit(stopUnits, inputOf(commands, headers, options))),
    read: async (units, path, { isCached = false } = {}) =>
      accepted(await tasks.submit(readUnits, { units, path, isCached })),
  };
}
