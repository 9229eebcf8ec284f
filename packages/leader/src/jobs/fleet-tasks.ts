import type { AcceptedTask, Json } from '@lcs/contract';
import { type TaskContext, type TaskKind, untilAborted } from '@lcs/platform';
import type { CommandOptions, JobsOfExperiment, LeaderContext, UnitCommand } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { orderMissedStops } from '../fleet/missed-stops.ts';
import { resultOfOutcomes } from '../fleet/outcome.ts';
import { type BiomassStart, biomassSignalsPath, expectOneScale } from './biomass-scales.ts';
import { PendingStarts } from './pending-starts.ts';
import { type ProfilesAsked, withProfilesStopped } from './profiles-stopped.ts';

type Needs = Pick<LeaderContext, 'leader' | 'tasks' | 'fleet' | 'wire' | 'desired'>;

interface CommandInput {
  readonly [name: string]: Json;
  readonly commands: readonly UnitCommand[];
  readonly idempotencyKey: string | null;
  readonly deadline: number | null;
  readonly profiles: ProfilesAsked | null;
  readonly stops: JobsOfExperiment | null;
  readonly starts: StartedJob | null;
  readonly biomass: BiomassStart | null;
  readonly seesChanges: boolean;
}

type StartedJob = JobsOfExperiment & { readonly jobName: string };

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
  command(commands: readonly UnitCommand[], headers: RequestHeaders, options?: CommandMeaning): Promise<Accepted>;
  /** The same for changes of running jobs, which do not wait for the leader's disk. */
  update(commands: readonly UnitCommand[], headers: RequestHeaders, options?: CommandMeaning): Promise<Accepted>;
  /** The same for stops, which wait for nothing. */
  stop(commands: readonly UnitCommand[], headers: RequestHeaders, options: StopOptions): Promise<Accepted>;
  /** Asks units for something in a task. */
  read(units: readonly string[], path: string, options?: { readonly isCached?: boolean }): Promise<Accepted>;
}

/** What must be known of commands beside what is sent. */
interface CommandMeaning {
  /** They start this job: older orders to stop it do not hold any more. */
  readonly starts?: StartedJob;
  /** They start what holds a biomass: on several units it must mean the same. */
  readonly biomass?: BiomassStart | undefined;
  /** They make something safer, such as a pause: they wait for nothing. */
  readonly isUrgent?: true;
  /** They stop these jobs: what does not reach a unit is ordered for its return. */
  readonly stops?: JobsOfExperiment;
}

interface StopOptions {
  readonly stops: JobsOfExperiment;
  /** The leader is among those asked, for its profiles; the result names those that ended. */
  readonly profiles?: ProfilesAsked;
}

const textOf = (value: string | string[] | undefined): string | null =>
  value === undefined ? null : Array.isArray(value) ? value.join(',') : value;

/**
 * The tasks behind the routes that talk to units. They wait for units, not for this machine, and the fleet bounds them: so
 * none of them waits for a place among the other tasks. A command that a restart has cut is not sent again: whoever wanted
 * it may want something else by now. What is told to end waits for no unit; only stops do, until the fleet gives them up:
 * what did not reach its unit has to become an order. Call it before the tasks are started.
 */
export function fleetTasks({ leader, tasks, fleet, wire, desired }: Needs): FleetTasks {
  const waiting = new PendingStarts();
  /** The commands that may be sent, and why others are not. @throws ApiError biomass_scales_differ */
  const onOneScale = async (commands: readonly UnitCommand[], biomass: BiomassStart | null, signal: AbortSignal) => {
    if (biomass === null || commands.length < 2) return { commands, left: {} };
    const units = commands.map(({ unit }) => unit);
    const answers = await untilAborted(signal, fleet.read(units, biomassSignalsPath));
    const known = expectOneScale(answers, biomass);
    return {
      commands: commands.filter(({ unit }) => known.has(unit)),
      left: Object.fromEntries(Object.entries(answers).filter(([unit]) => !known.has(unit))),
    };
  };
  const send = async (
    lane: CommandOptions['lane'],
    { commands: all, idempotencyKey, deadline, starts, stops, biomass, seesChanges }: CommandInput,
    signal: AbortSignal,
  ) => {
    const start = starts === null ? undefined : waiting.begin(starts);
    try {
      const { commands, left } = await onOneScale(all, biomass, signal);
      const units = commands.map(({ unit }) => unit);
      if (starts !== null) await desired.beforeStart(units, starts);
      const sent = fleet.command(commands, {
        lane,
        ...(seesChanges && { seesChanges }),
        ...(start && { isSuperseded: start.isSuperseded }),
        ...(idempotencyKey === null ? {} : { idempotencyKey }),
        ...(deadline === null ? {} : { deadline }),
      });
      return { ...(await (stops === null ? untilAborted(signal, sent) : sent)), ...left };
    } finally {
      start?.end();
    }
  };
  const commanding = (
    kind: string,
    lane: CommandOptions['lane'],
    more: Pick<TaskKind, 'startsUnrecorded'> = {},
  ): TaskKind<CommandInput> => ({
    kind,
    ...more,
    lane: 'stop',
    run: async (input, { signal }) => {
      const { profiles, stops } = input;
      const answers = await send(lane, input, signal);
      const outcomes = stops === null ? answers : await orderMissedStops({ desired }, answers, stops);
      return resultOfOutcomes(profiles === null ? outcomes : withProfilesStopped(outcomes, profiles));
    },
  });
  const commandUnits = commanding('command_units', 'command');
  // What may make units safer goes out whatever the leader's disk is; the units themselves say what they have recorded.
  const updateUnits = commanding('update_units', 'command', { startsUnrecorded: true });
  const stopUnits = commanding('stop_units', 'stop', { startsUnrecorded: true });
  const readUnits: TaskKind<ReadInput> = {
    kind: 'read_units',
    lane: 'stop',
    run: async ({ units, path, isCached }, { signal }: TaskContext) =>
      resultOfOutcomes(await untilAborted(signal, fleet.read(units, path, { isCached }))),
  };
  for (const kind of [commandUnits, updateUnits, stopUnits]) tasks.register(kind);
  tasks.register(readUnits);

  const accepted = ({ taskId }: { readonly taskId: string }): Accepted => ({
    status: 202,
    body: acceptedTask(leader, taskId),
  });
  const inputOf = (
    commands: readonly UnitCommand[],
    headers: RequestHeaders,
    { profiles, stops, starts, biomass, isUrgent }: CommandMeaning & { readonly profiles?: ProfilesAsked },
  ): CommandInput => {
    if (stops !== undefined)
      waiting.stop(
        commands.map(({ unit }) => unit),
        stops,
      );
    const leftMs = textOf(headers['x-deadline-ms']);
    return {
      commands,
      idempotencyKey: textOf(headers['idempotency-key']),
      // Counted from now: what checking the request took is less than what is kept back for the way.
      deadline: leftMs === null ? null : wire.monotonic() + Number(leftMs),
      profiles: profiles ?? null,
      stops: stops ?? null,
      starts: starts ?? null,
      biomass: biomass ?? null,
      seesChanges: stops === undefined && !isUrgent,
    };
  };

  return {
    command: async (commands, headers, meaning = {}) =>
      accepted(await tasks.submit(commandUnits, inputOf(commands, headers, meaning))),
    update: async (commands, headers, meaning = {}) =>
      accepted(await tasks.begin(updateUnits, inputOf(commands, headers, meaning))),
    stop: async (commands, headers, options) =>
      accepted(await tasks.begin(stopUnits, inputOf(commands, headers, options))),
    read: async (units, path, { isCached = false } = {}) =>
      accepted(await tasks.submit(readUnits, { units, path, isCached })),
  };
}
