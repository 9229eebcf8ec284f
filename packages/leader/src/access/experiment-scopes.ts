import {
  ApiError,
  type Caller,
  type ExperimentAccess,
  type ExperimentAccessChange,
  hasAccount,
  type LiveEventName,
  type LiveEvents,
  needsMembership,
  publicPermissions,
  type RouteDeclaration,
  routeScopes,
} from '@lcs/contract';
import type { TopicScope } from '@lcs/domain';
import type { Cancel, Service } from '@lcs/platform';
import type { Effects, LeaderContext, LeaderTransaction, LiveListener } from '../core/leader-context.ts';
import { assignmentsOfAll } from '../queries/assignments.ts';
import { experimentKey, experimentNamed, toExperiment } from '../queries/experiments.ts';
import type { PersonRecord } from './access-records.ts';
import { isAdmitted, isManager, type Occupancy, type Protection, type Scope, scopeRefusal } from './scope-rules.ts';

/** The people whose names owners and members have. */
interface People {
  readonly people: readonly PersonRecord[];
  person(id: string): PersonRecord | undefined;
}

export interface ExperimentScopesOptions {
  readonly context: Pick<LeaderContext, 'leader' | 'database' | 'change' | 'clock'>;
  readonly people: People;
  /** The live events of the leader. */
  readonly listen: (listener: LiveListener) => Cancel;
}

/** The check of handlers whose routes name their scope in the body. */
export interface ScopeCheck {
  /** @throws ApiError not_a_member, outside_token_limits */
  expect(caller: Caller, scope: Scope): void;
}

interface KnownExperiment extends Protection {
  readonly createdBy: string | null;
}

const unprotected = { isProtected: false, ownerId: null, memberIds: new Set<string>(), createdBy: null } as const;

/** `current` stands for the latest experiment in the path of unit labels. */
const latestAlias = 'current';

/**
 * Owners, members and protection of experiments, and the check of what a caller may touch. Experiments and assignments are in memory and
 * follow their live events, so that no check waits for the store.
 */
export class ExperimentScopes implements ScopeCheck, Service {
  readonly name = 'scopes of experiments';
  readonly #options: ExperimentScopesOptions;
  /** By name, the latest last. */
  readonly #experiments = new Map<string, KnownExperiment>();
  readonly #assignments = new Map<string, string>();
  readonly #occupancy: Occupancy;
  readonly #scopeSources = routeScopes();
  #unsubscribe: Cancel = () => {};

  constructor(options: ExperimentScopesOptions) {
    this.#options = options;
    const assignments = this.#assignments;
    this.#occupancy = {
      protectionOf: (experiment) => this.#experiments.get(experiment),
      experimentOf: (unit) => assignments.get(unit),
      get assignedUnits() {
        return assignments.keys();
      },
    };
  }

  async start(): Promise<void> {
    const { read } = this.#options.context.database;
    // Before the reading: an event during it may repeat what it contains.
    this.#unsubscribe = this.#options.listen((name, data) => this.#onLiveEvent(name, data));
    const members = Map.groupBy(
      await read.selectFrom('experiment_members').selectAll().execute(),
      ({ experiment_id }) => experiment_id,
    );
    const rows = await read
      .selectFrom('experiments as e')
      .leftJoin('experiment_access as a', 'a.experiment_id', 'e.id')
      .where('e.deleting_at', 'is', null)
      .orderBy('e.id')
      .select(['e.id', 'e.name', 'a.owner_id', 'a.created_by', 'a.is_protected'])
      .execute();
    for (const { id, name, owner_id, created_by, is_protected } of rows)
      this.#experiments.set(name, {
        experiment: name,
        isProtected: is_protected === 1,
        ownerId: owner_id,
        memberIds: new Set(members.get(id)?.map(({ person_id }) => person_id)),
        createdBy: created_by,
      });
    for (const { reactor_unit, experiment } of await assignmentsOfAll(read).execute())
      if (experiment !== null) this.#assignments.set(reactor_unit, experiment);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
  }

  /**
   * Checks the scope that a route names in its path. Reads memory only.
   * @throws ApiError not_a_member, outside_token_limits
   */
  readonly checkRoute = (
    operation: string,
    { permission }: Pick<RouteDeclaration, 'permission'>,
    params: Readonly<Record<string, string>>,
    caller: Caller,
  ): void => {
    if (publicPermissions.has(permission)) return;
    const isActing = needsMembership(permission);
    const { experiment, reactor_unit: unit } = params;
    switch (this.#scopeSources.get(operation)) {
      case 'caller':
      case 'body':
        return;
      case 'node':
        this.expect(caller, { experiment, unit: this.#options.context.leader, isActing });
        return;
      case 'path':
        this.expect(caller, { experiment, unit, isActing });
        return;
      default:
        this.expect(caller, { isActing });
    }
  };

  expect(caller: Caller, scope: Scope): void {
    const refusal = this.#refusal(caller, scope);
    if (refusal !== undefined) throw refusal;
  }

  /** Whether a caller may act on a unit or an experiment, or on both. A stop is allowed whatever the protection of the experiment. */
  mayActOn(
    caller: Caller,
    { experiment, unit, isStop = false }: Omit<Scope, 'isActing'> & { readonly isStop?: boolean },
  ): boolean {
    return this.#refusal(caller, { experiment, unit, isActing: !isStop }) === undefined;
  }

  /** Whether a caller may read what belongs to a unit or an experiment: only tokens have limits. */
  mayRead(caller: Caller, { experiment, unit }: Omit<Scope, 'isActing'>): boolean {
    return this.#refusal(caller, { experiment, unit, isActing: false }) === undefined;
  }

  /** What a caller may touch by MQTT. */
  ofTopics(caller: Caller): TopicScope {
    return {
      mayRead: (place) => this.mayRead(caller, place),
      mayAct: (place, isStop) => this.mayActOn(caller, { ...place, isStop }),
    };
  }

  /** Records in the transaction that creates an experiment who owns it: the person who created it, or whose token did. */
  async recordOwner(
    transaction: LeaderTransaction,
    effects: Effects,
    { id, name }: { readonly id: number; readonly name: string },
    caller: Caller,
  ): Promise<void> {
    if (!hasAccount(caller)) return;
    const { personId, name: createdBy } = caller;
    const row = { experiment_id: id, owner_id: personId, created_by: createdBy, is_protected: 0 };
    await transaction.insertInto('experiment_access').values(row).execute();
    effects.afterCommit(() =>
      this.#experiments.set(name, { ...unprotected, experiment: name, ownerId: personId, createdBy }),
    );
  }

  /** @throws ApiError experiment_not_found */
  describe(name: string, caller: Caller): ExperimentAccess {
    const known = this.#known(name);
    const { people } = this.#options;
    const nameOf = (id: string): string | undefined => people.person(id)?.name;
    return {
      experiment: name,
      owner: known.ownerId === null ? null : (nameOf(known.ownerId) ?? null),
      created_by: known.createdBy,
      is_protected: known.isProtected,
      members: [...known.memberIds].flatMap((id) => nameOf(id) ?? []).sort(),
      may_act: isAdmitted(caller, known),
      may_change: isManager(caller, known),
    };
  }

  /**
   * Changes owner, members or protection.
   * @throws ApiError experiment_not_found, not_owner, member_unknown, nothing_to_change
   */
  async change(name: string, caller: Caller, change: ExperimentAccessChange): Promise<ExperimentAccess> {
    const { owner, is_protected: isProtected, members } = change;
    if (owner === undefined && isProtected === undefined && members === undefined)
      throw new ApiError('nothing_to_change', { fields: 'owner, is_protected, members' });
    const { context } = this.#options;
    await context.change(async (transaction, effects) => {
      const key = await experimentKey(transaction, name).executeTakeFirst();
      if (key === undefined) throw new ApiError('experiment_not_found', { experiment: name });
      const before = this.#known(name);
      if (!isManager(caller, before)) throw new ApiError('not_owner', { experiment: name });
      const after: KnownExperiment = {
        ...before,
        ...(isProtected !== undefined && { isProtected }),
        ...(owner !== undefined && { ownerId: owner === null ? null : this.#personId(owner, 'owner') }),
        ...(members && { memberIds: new Set(members.map((member) => this.#personId(member, 'members'))) }),
      };
      await storeAccess(transaction, key.id, after);
      await effects.logEvent({
        experiment: key,
        level: 'INFO',
        message: `Owner, members or protection of ${name} changed.`,
        task: 'experiment_access',
      });
      effects.afterCommit(() => this.#experiments.set(name, after));
      const stored = await experimentNamed(transaction, name).executeTakeFirst();
      if (stored) effects.live('experiment', name, toExperiment(stored, context.clock.now()));
    });
    return this.describe(name, caller);
  }

  #refusal(caller: Caller, scope: Scope): ApiError | undefined {
    const { experiment } = scope;
    const isAlias = experiment?.toLowerCase() === latestAlias;
    const resolved = isAlias ? { ...scope, experiment: [...this.#experiments.keys()].at(-1) } : scope;
    return scopeRefusal(caller, resolved, this.#occupancy);
  }

  /** @throws ApiError experiment_not_found */
  #known(name: string): KnownExperiment {
    const known = this.#experiments.get(name);
    if (known === undefined) throw new ApiError('experiment_not_found', { experiment: name });
    return known;
  }

  /** @throws ApiError member_unknown */
  #personId(name: string, field: string): string {
    const person = this.#options.people.people.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (person === undefined) throw new ApiError('member_unknown', { name, field });
    return person.id;
  }

  #onLiveEvent(name: LiveEventName, data: LiveEvents[LiveEventName]): void {
    switch (name) {
      case 'experiment':
        if ('worker_count' in data && !this.#experiments.has(data.experiment))
          this.#experiments.set(data.experiment, { ...unprotected, experiment: data.experiment });
        return;
      case 'experiment_deleted':
        if ('experiment' in data && typeof data.experiment === 'string') this.#experiments.delete(data.experiment);
        return;
      case 'assignment':
        if (!('reactor_unit' in data) || !('experiment' in data) || data.reactor_unit === null) return;
        if (typeof data.experiment === 'string') this.#assignments.set(data.reactor_unit, data.experiment);
        else this.#assignments.delete(data.reactor_unit);
        return;
      case 'worker_deleted':
        if ('reactor_unit' in data && data.reactor_unit !== null) this.#assignments.delete(data.reactor_unit);
    }
  }
}

async function storeAccess(
  transaction: LeaderTransaction,
  experimentId: number,
  { isProtected, ownerId, memberIds, createdBy }: KnownExperiment,
): Promise<void> {
  const row = { owner_id: ownerId, created_by: createdBy, is_protected: isProtected ? 1 : 0 };
  await transaction
    .insertInto('experiment_access')
    .values({ experiment_id: experimentId, ...row })
    .onConflict((conflict) => conflict.column('experiment_id').doUpdateSet(row))
    .execute();
  await transaction.deleteFrom('experiment_members').where('experiment_id', '=', experimentId).execute();
  for (const personId of memberIds)
    await transaction
      .insertInto('experiment_members')
      .values({ experiment_id: experimentId, person_id: personId })
      .execute();
}
