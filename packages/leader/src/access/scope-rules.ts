import { ApiError, type Caller } from '@lcs/contract';
import { systemExperiment } from '../core/leader-context.ts';
import { broadcast } from '../queries/addressed-units.ts';

/** What a request concerns. */
export interface Scope {
  readonly experiment?: string | undefined;
  readonly unit?: string | undefined;
  /** It acts, so that the protection of experiments applies. A stop does not: it is always allowed. */
  readonly isActing: boolean;
}

/** Who may act on an experiment. */
export interface Protection {
  readonly experiment: string;
  readonly isProtected: boolean;
  /** ID of a person; null: nobody. */
  readonly ownerId: string | null;
  readonly memberIds: ReadonlySet<string>;
}

/** The present experiments and assignments. */
export interface Occupancy {
  /** Undefined: there is no such experiment. */
  protectionOf(experiment: string): Protection | undefined;
  /** The experiment of a unit; undefined: none. */
  experimentOf(unit: string): string | undefined;
  /** Units that are assigned to an experiment. */
  readonly assignedUnits: Iterable<string>;
}

/** The parts of a caller on which the rules depend. */
export type ScopedCaller = Pick<Caller, 'personId' | 'permissions' | 'limits'>;

/** Whether the protection of an experiment lets the caller act. A token counts as the person who made it. */
export const isAdmitted = (
  { personId, permissions }: ScopedCaller,
  { isProtected, ownerId, memberIds }: Protection,
): boolean =>
  !isProtected ||
  permissions.has('experiments.manage') ||
  (personId !== '' && (personId === ownerId || memberIds.has(personId)));

/** Whether the caller may change owner, members and protection of an experiment. */
export const isManager = ({ personId, permissions }: ScopedCaller, { ownerId }: Protection): boolean =>
  permissions.has('experiments.manage') || (personId !== '' && personId === ownerId);

const named = (name: string | undefined, forAll: string): string | undefined => (name === forAll ? undefined : name);

/** Why a token may not: the scope is not within its limits. */
function outsideLimits({ limits }: ScopedCaller, scope: Scope, occupancy: Occupancy): string | undefined {
  if (limits === undefined) return undefined;
  const unit = named(scope.unit, broadcast);
  const experiment = named(scope.experiment, systemExperiment);
  if (limits.units !== undefined && (unit === undefined || !limits.units.has(unit)))
    return unit === undefined
      ? 'The request concerns more than one unit, or none by name.'
      : `${unit} is not among its units.`;
  if (limits.experiments === undefined) return undefined;
  const present = unit === undefined ? undefined : occupancy.experimentOf(unit);
  const concerned = [experiment, ...(experiment === undefined || scope.isActing ? [present] : [])].flatMap(
    (name) => name ?? [],
  );
  if (concerned.length === 0) return 'The request concerns no experiment by name.';
  const foreign = concerned.find((name) => !limits.experiments?.has(name));
  return foreign === undefined ? undefined : `${foreign} is not among its experiments.`;
}

/** The units and experiments on which a request acts. */
function touched(
  { experiment, unit }: Scope,
  occupancy: Occupancy,
): readonly (readonly [string, string | undefined])[] {
  const own = named(experiment, systemExperiment);
  const ofUnit = (name: string): readonly (readonly [string, string])[] => {
    const present = occupancy.experimentOf(name);
    return present === undefined || present === own ? [] : [[present, name]];
  };
  const units =
    unit !== broadcast ? (unit === undefined ? [] : [unit]) : own === undefined ? occupancy.assignedUnits : [];
  return [...(own === undefined ? [] : [[own, undefined] as const]), ...[...units].flatMap(ofUnit)];
}

/** Why the scope of a request does not admit the caller; undefined: it does. */
export function scopeRefusal(caller: ScopedCaller, scope: Scope, occupancy: Occupancy): ApiError | undefined {
  const cause = outsideLimits(caller, scope, occupancy);
  if (cause !== undefined) return new ApiError('outside_token_limits', { cause });
  if (!scope.isActing) return undefined;
  for (const [experiment, unit] of touched(scope, occupancy)) {
    const protection = occupancy.protectionOf(experiment);
    if (protection !== undefined && !isAdmitted(caller, protection))
      return new ApiError('not_a_member', { experiment, ...(unit !== undefined && { unit }) });
  }
  return undefined;
}
