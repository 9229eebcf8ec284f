import { ApiError, failureReason, type Json, type UnitOutcome } from '@lcs/contract';
import { type Clock, type Log, MemoryDatabase, taskMigrations } from '@lcs/platform';
import type { Fleet, LeaderContext, LeaderSchema } from '../../core/leader-context.ts';
import { openAssignment } from '../../queries/assignments.ts';
import { leaderMigrations } from '../../store/migrations.ts';
import type { KnownClocks } from '../planned-stops.ts';

/** A unit in this process, and how it carries out requests: as over HTTP, with the errors of its routes. */
export interface UnitInProcess {
  readonly name: string;
  readonly model: { readonly name: string; readonly version: string };
  readonly isActive: boolean;
  /** @throws ApiError */
  perform(request: { readonly method: string; readonly path: string; readonly body?: unknown }): Promise<Json>;
}

/** The part of the leader on which runs of profiles depend, in memory, with units in the same process. */
export interface MemoryLeader extends Disposable {
  readonly context: Pick<LeaderContext, 'clock' | 'database' | 'desired' | 'log' | 'wire'> & {
    readonly fleet: Pick<Fleet, 'command' | 'passOn'>;
    readonly units: KnownClocks;
  };
  readonly experiment: { readonly id: number; readonly uid: string; readonly name: string };
}

/** All units are always reached, and nothing is ordered for later. */
const desired: LeaderContext['desired'] = {
  refresh: () => {},
  deliverNow: async () => [],
  orderStops: async () => new Set(),
  orderStopsIn: async () => {},
  beforeStart: async () => {},
};

/** Calls of units in this process. */
function fleetOf(units: readonly UnitInProcess[]): Pick<Fleet, 'command' | 'passOn'> {
  const named = new Map(units.map((unit) => [unit.name, unit]));
  const perform: (unit: string, request: Parameters<UnitInProcess['perform']>[0]) => Promise<Json> = async (
    unit,
    request,
  ) => {
    const known = named.get(unit);
    if (known === undefined) throw new ApiError('unit_gave_no_answer', { unit, cause: 'It is not rehearsed.' });
    return known.perform(request);
  };
  const outcomeOf = async ({ unit, ...request }: Parameters<Fleet['command']>[0][number]): Promise<UnitOutcome> => {
    try {
      return { ok: true, unit, value: await perform(unit, request) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { error: message, ...reason } = failureReason(error.body);
      return {
        ok: false,
        unit,
        error: { kind: 'http_error', message, ...reason },
        status_code: error.status,
        retryable: false,
      };
    }
  };
  return {
    command: async (commands) =>
      Object.fromEntries((await Promise.all(commands.map(outcomeOf))).map((outcome) => [outcome.unit, outcome])),
    passOn: async (unit, { method, path, body }) => ({
      status: 200,
      body: await perform(unit, { method, path, body }),
    }),
  };
}

/** @param clock of the runs and of all waiting */
export async function memoryLeader(
  units: readonly UnitInProcess[],
  { experiment: name, clock, log }: { readonly experiment: string; readonly clock: Clock; readonly log: Log },
): Promise<MemoryLeader> {
  const now = clock.now();
  const uid = 'rehearsal';
  const database = new MemoryDatabase<LeaderSchema>([...taskMigrations, ...leaderMigrations], now);
  const experiment = await database.write(async (transaction) => {
    const { id } = await transaction
      .insertInto('experiments')
      .values({ uid, name, created_at: now, description: '' })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const { name: reactor_unit, model, isActive } of units) {
      const worker = {
        reactor_unit,
        added_at: now,
        is_active: isActive ? 1 : 0,
        model_name: model.name,
        model_version: model.version,
      };
      await transaction.insertInto('workers').values(worker).execute();
      await openAssignment(transaction, reactor_unit, { id, name }, now);
    }
    return { id, uid, name };
  });
  return {
    context: {
      clock,
      wire: clock,
      log,
      database,
      desired,
      fleet: fleetOf(units),
      units: { statusOf: () => undefined },
    },
    experiment,
    [Symbol.dispose]: () => database[Symbol.dispose](),
  };
}
