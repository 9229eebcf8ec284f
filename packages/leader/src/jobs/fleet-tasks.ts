import { type AcceptedTask, ApiError, type Caller, type Json, type UnitOutcome } from '@lcs/contract';
import { keyOfCaller } from '@lcs/node';
import { type TaskContext, type TaskKind, untilAborted } from '@lcs/platform';
import type { CommandOptions, JobsOfExperiment, LeaderContext, UnitCommand } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { orderMissedStops } from '../fleet/missed-stops.ts';
import { failed, resultOfOutcomes } from '../fleet/outcome.ts';
import {
  type BiomassChange,
  type BiomassStart,
  biomassSignalsPath,
  expectOneScale,
  runningSignals,
} from './biomass-scales.ts';
import { PendingStarts } from './pending-starts.ts';
import { type ProfilesAsked, withProfilesStopped } from './profiles-stopped.ts';
import { type RequestChecks, unconfirmedRequests } from './unconfirmed-requests.ts';

type Needs = Pick<LeaderContext, 'leader' | 'tasks' | 'fleet' | 'wire' | 'desired'>;

interface CommandInput {
  readonly [name: string]: Json;
  readonly commands: readonly UnitCommand[];
  readonly idempotencyKey: string | null;
  readonly deadline: number | null;
  readonly profiles: ProfilesAsked | null;
  readonly stops: readonly JobsOfExperiment[] | null;
  readonly starts: StartedJob | null;
  readonly biomass: BiomassStart | BiomassChange | null;
  readonly seesChanges: boolean;
  /** Of a start or a change that nobody has confirmed: what asks each unit for it. */
  readonly checks: RequestChecks | null;
}

type StartedJob = JobsOfExperiment & { readonly jobName: string };

interface ReadInput {
  readonly [name: string]: Json;
  readonly units: readonly string[];
  readonly path: string;
  readonly isCached: boolean;
}

/** The data of a request to the leader that apply to the commands it causes. */
export interface CommandRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly caller: Caller;
}

interface Accepted {
  readonly status: 202;
  readonly body: AcceptedTask;
}

/** Properties of commands beside their content. */
interface CommandMeaning {
  /** They start this job: older orders to stop it are dropped. */
  readonly starts?: StartedJob;
  /** They start a control of biomass, or change its target: on several units it must mean the same. */
  readonly biomass?: BiomassStart | BiomassChange | undefined;
  /** They ask the units what a person must confirm; until then it happens on none of several. */
  readonly checks?: RequestChecks | undefined;
  /** They make units safer, such as a pause: they do not wait. */
  readonly isUrgent?: true;
  /** They stop these jobs: a stop that does not reach a unit becomes an order for its return. */
  readonly stops?: readonly JobsOfExperiment[];
}

interface StopOptions {
  readonly stops: readonly JobsOfExperiment[];
  /** The leader is among the targets, because of its profiles; the result names those that ended. */
  readonly profiles?: ProfilesAsked;
}

const unitsOf = (commands: readonly UnitCommand[]): readonly string[] => commands.map(({ unit }) => unit);

const textOf = (value: string | string[] | undefined): string | null =>
  value === undefined ? null : Array.isArray(value) ? value.join(',') : value;

/**
 * The outcomes of a stop. A leader that shuts down does not wait for them, and does not know whether a stop that is under way ends: it becomes
 * an order, which a unit that has stopped in the meantime has fulfilled.
 */
async function untilShutDown(
  signal: AbortSignal,
  sent: Promise<Readonly<Record<string, UnitOutcome>>>,
  units: readonly string[],
): Promise<Readonly<Record<string, UnitOutcome>>> {
  try {
    return await untilAborted(signal, sent);
  } catch (error) {
    if (!(error instanceof ApiError && error.body.code === 'shutting_down')) return sent;
    return Object.fromEntries(
      units.map((unit) => [
        unit,
        failed(
          unit,
          'connection_error',
          { message: `The leader was shut down while ${unit} was stopping.` },
          null,
          true,
        ),
      ]),
    );
  }
}

/**
 * The tasks of routes that send requests to units. They wait for units, not for this machine, and the fleet limits them: so they take no
 * place among the other tasks. The leader does not repeat a command that a restart has interrupted: the user may want something else
 * by now. A cancelled task waits for no unit, except for stops, until the fleet gives them up: a stop that did not reach its unit has to
 * become an order. Create it before the tasks are started.
 */
export class FleetTasks {
  readonly #needs: Needs;
  readonly #pending = new PendingStarts();
  readonly #command = this.#commandKind('command_units', 'command');
  // Commands that may make units safer are sent whatever the state of the leader's disk; the units report what they have recorded.
  readonly #update = this.#commandKind('update_units', 'command', { startsUnrecorded: true });
  readonly #stop = this.#commandKind('stop_units', 'stop', { startsUnrecorded: true });
  readonly #read: TaskKind<ReadInput> = {
    kind: 'read_units',
    lane: 'stop',
    run: async ({ units, path, isCached }, { signal }: TaskContext) =>
      resultOfOutcomes(await untilAborted(signal, this.#needs.fleet.read(units, path, { isCached }))),
  };

  constructor(needs: Needs) {
    this.#needs = needs;
    for (const kind of [this.#command, this.#update, this.#stop]) needs.tasks.register(kind);
    needs.tasks.register(this.#read);
  }

  /** Sends commands to units in a task. `request` is the one that causes them. */
  async command(commands: readonly UnitCommand[], request: CommandRequest, meaning: CommandMeaning = {}) {
    return this.#accepted(await this.#needs.tasks.submit(this.#command, this.#inputOf(commands, request, meaning)));
  }

  /** The same for changes of running jobs, which do not wait for the leader's disk. */
  async update(commands: readonly UnitCommand[], request: CommandRequest, meaning: CommandMeaning = {}) {
    return this.#accepted(await this.#needs.tasks.begin(this.#update, this.#inputOf(commands, request, meaning)));
  }

  /** The same for stops, which do not wait. */
  async stop(commands: readonly UnitCommand[], request: CommandRequest, options: StopOptions) {
    return this.#accepted(await this.#needs.tasks.begin(this.#stop, this.#inputOf(commands, request, options)));
  }

  /** Reads from units in a task. */
  async read(units: readonly string[], path: string, { isCached = false }: { readonly isCached?: boolean } = {}) {
    return this.#accepted(await this.#needs.tasks.submit(this.#read, { units, path, isCached }));
  }

  #accepted({ taskId }: { readonly taskId: string }): Accepted {
    return { status: 202, body: acceptedTask(this.#needs.leader, taskId) };
  }

  #inputOf(
    commands: readonly UnitCommand[],
    { headers, caller }: CommandRequest,
    { profiles, stops, starts, biomass, checks, isUrgent }: CommandMeaning & { readonly profiles?: ProfilesAsked },
  ): CommandInput {
    for (const stop of stops ?? []) this.#pending.stop(unitsOf(commands), stop);
    const leftMs = textOf(headers['x-deadline-ms']);
    return {
      commands,
      idempotencyKey: keyOfCaller(textOf(headers['idempotency-key']), caller),
      // Counted from now: the validation of the request took less time than the share kept for the transfer.
      deadline: leftMs === null ? null : this.#needs.wire.monotonic() + Number(leftMs),
      profiles: profiles ?? null,
      stops: stops ?? null,
      starts: starts ?? null,
      biomass: biomass ?? null,
      checks: checks ?? null,
      seesChanges: stops === undefined && !isUrgent,
    };
  }

  #commandKind(
    kind: string,
    lane: CommandOptions['lane'],
    more: Pick<TaskKind, 'startsUnrecorded'> = {},
  ): TaskKind<CommandInput> {
    return {
      kind,
      ...more,
      lane: 'stop',
      run: async (input, { signal }) => {
        const { profiles, stops } = input;
        const answers = await this.#send(lane, input, signal);
        const { desired } = this.#needs;
        const outcomes = stops === null ? answers : await orderMissedStops({ desired }, answers, ...stops);
        return resultOfOutcomes(profiles === null ? outcomes : withProfilesStopped(outcomes, profiles));
      },
    };
  }

  async #send(
    lane: CommandOptions['lane'],
    { commands: all, idempotencyKey, deadline, starts, stops, biomass, checks, seesChanges }: CommandInput,
    signal: AbortSignal,
  ) {
    const { fleet, desired } = this.#needs;
    const start = starts === null ? undefined : this.#pending.begin(starts);
    try {
      const { commands, left } = await this.#onOneScale(all, biomass, signal);
      const unconfirmed = await this.#unconfirmed(commands, checks, signal);
      if (unconfirmed !== undefined) return { ...unconfirmed, ...left };
      if (starts !== null) await desired.beforeStart(unitsOf(commands), starts);
      const sent = fleet.command(commands, {
        lane,
        ...(seesChanges && { requiresChanges: seesChanges }),
        ...(start && { isSuperseded: start.isSuperseded }),
        ...(idempotencyKey === null ? {} : { idempotencyKey }),
        ...(deadline === null ? {} : { deadline }),
      });
      const answers = stops === null ? untilAborted(signal, sent) : untilShutDown(signal, sent, unitsOf(commands));
      return { ...(await answers), ...left };
    } finally {
      start?.end();
    }
  }

  /** Why a request to several units happens on none of them; undefined: a person need not confirm it on any. */
  async #unconfirmed(commands: readonly UnitCommand[], checks: CommandInput['checks'], signal: AbortSignal) {
    const units = new Set(unitsOf(commands));
    const asked = checks?.commands.filter(({ unit }) => units.has(unit)) ?? [];
    if (asked.length < 2 || checks === null) return undefined;
    const answers = await untilAborted(signal, this.#needs.fleet.command(asked, { lane: 'command' }));
    return unconfirmedRequests(answers, checks);
  }

  /** The commands that may be sent, and why others may not. @throws ApiError biomass_scales_differ */
  async #onOneScale(commands: readonly UnitCommand[], biomass: CommandInput['biomass'], signal: AbortSignal) {
    if (biomass === null || commands.length < 2) return { commands, left: {} };
    const read = (path: string) => untilAborted(signal, this.#needs.fleet.read(unitsOf(commands), path));
    const [answers, settings] = await Promise.all([
      read(biomassSignalsPath),
      'settingsPath' in biomass ? read(biomass.settingsPath) : null,
    ]);
    const known = expectOneScale(answers, 'signal' in biomass ? () => biomass.signal : runningSignals(settings ?? {}));
    // What a unit says about its job explains more than its signals.
    const refused = Object.entries(settings ?? {}).filter(([, { ok }]) => !ok);
    const left = { ...answers, ...Object.fromEntries(refused) };
    return {
      commands: commands.filter(({ unit }) => known.has(unit)),
      left: Object.fromEntries(Object.entries(left).filter(([unit]) => !known.has(unit))),
    };
  }
}
