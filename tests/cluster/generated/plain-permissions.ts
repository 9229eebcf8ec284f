import { DatabaseSync } from 'node:sqlite';
import { leaderApi, type RouteDeclaration } from '@lcs/contract';
import { nodeNames } from './known.ts';

/** The rules of docs/interfaces/permissions.md, written again: they do not use what they judge. */
export const everybody = ['pages.read', 'health.read', 'session.use', 'node.enrol'];
const ofOperators = [
  ...['experiments.write', 'charts.write', 'tasks.cancel', 'jobs.run', 'jobs.stop', 'calibrations.write'],
  ...['profiles.write', 'exports.run', 'logs.write', 'cameras.write', 'alarms.act', 'series.derive', 'mcp.use'],
];
/** Acts for which the role alone is enough, whatever the protection of the experiment. */
const roleIsEnough = ['jobs.stop', 'tasks.cancel', 'logs.write', 'exports.run', 'alarms.act', 'mcp.use'];

const isReading = (permission: string): boolean => permission.endsWith('.read');

/** Whether it acts on an experiment, so that only its people may where it is protected. */
export const actsOnExperiment = (permission: string): boolean =>
  !isReading(permission) && !roleIsEnough.includes(permission);

/** Who sends a request. */
export interface PlainCaller {
  readonly role: 'nobody' | 'viewer' | 'operator' | 'administrator';
  /** A token has no more than these; undefined: it has those of the role. */
  readonly only?: readonly string[];
  /** The person, or who made the token. */
  readonly personId: string;
  /** What a token is limited to. */
  readonly experiments?: readonly string[];
  readonly units?: readonly string[];
}

export function hasPermission({ role, only }: Pick<PlainCaller, 'role' | 'only'>, permission: string): boolean {
  if (everybody.includes(permission)) return true;
  if (role === 'nobody' || only?.includes(permission) === false) return false;
  return role === 'administrator' || isReading(permission) || (role === 'operator' && ofOperators.includes(permission));
}

/** Experiments and assignments at one moment. */
interface Places {
  readonly experiments: ReadonlyMap<string, { readonly isProtected: boolean; readonly people: readonly string[] }>;
  readonly latest: string | undefined;
  readonly experimentOf: ReadonlyMap<string, string>;
}

/** Reads what is on disk. */
export class StoredPlaces implements Disposable {
  readonly #database: DatabaseSync;

  constructor(dataFolder: string) {
    this.#database = new DatabaseSync(`${dataFolder}/storage/leader.sqlite`, { readOnly: true });
  }

  read(): Places {
    const rows = this.#database
      .prepare(
        `select e.name, a.is_protected, a.owner_id,
          (select json_group_array(m.person_id) from experiment_members m where m.experiment_id = e.id) as members
        from experiments e left join experiment_access a on a.experiment_id = e.id
        where e.deleting_at is null order by e.id`,
      )
      .all();
    const assigned = this.#database
      .prepare('select a.reactor_unit, e.name from assignments a join experiments e on e.id = a.experiment_id')
      .all();
    const experiments = rows.map(({ name, is_protected, owner_id, members }) => {
      const people = [String(owner_id ?? '-'), ...JSON.parse(String(members))];
      return [String(name), { isProtected: is_protected === 1, people }] as const;
    });
    return {
      experiments: new Map(experiments),
      latest: experiments.at(-1)?.[0],
      experimentOf: new Map(assigned.map(({ reactor_unit, name }) => [String(reactor_unit), String(name)])),
    };
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

interface Operation {
  readonly operation: string;
  readonly route: Pick<RouteDeclaration, 'permission' | 'path'>;
}

/** The caller alone, requests that the caller makes in turn, and tasks, whose IDs only those know who began them. */
export const ofCaller = /^\/(api\/(session|sessions|tokens|passkeys|setup|enrol|account)(\/|$)|mcp\/?$)/;
export const ofTask = 'getTaskResult';
/** What they concern is in the body. */
const ofBody = ['assignWorker', 'updateWorkerJob', 'updateUnitJob', 'unassignAllWorkers'];

const outside = '403 outside_token_limits';
const notMember = '403 not_a_member';

/** The names in a path: undefined where it names none, or all. */
function namesIn(operation: string, params: Readonly<Record<string, string>>, { latest }: Places) {
  const isOfNode = !(operation in leaderApi);
  const { experiment = '$experiment', reactor_unit = '' } = params;
  const unit = isOfNode ? nodeNames.leader : reactor_unit;
  const named = experiment.toLowerCase() === 'current' ? latest : experiment;
  return {
    experiment: named === '$experiment' ? undefined : named,
    unit: unit === '$broadcast' || unit === '' ? undefined : unit,
    isForAll: unit === '$broadcast',
  };
}

function isOutside(caller: PlainCaller, named: ReturnType<typeof namesIn>, acts: boolean, places: Places): boolean {
  const { experiment, unit } = named;
  if (caller.units && (unit === undefined || !caller.units.includes(unit))) return true;
  if (!caller.experiments) return false;
  const present = unit === undefined ? undefined : places.experimentOf.get(unit);
  const concerned = [experiment, experiment === undefined || acts ? present : undefined].filter(
    (name) => name !== undefined,
  );
  return concerned.length === 0 || concerned.some((name) => !caller.experiments?.includes(name));
}

/**
 * How the leader answers this caller: a status and a code, `allowed` (anything but a refusal for who the caller is), or `open` where the
 * body decides.
 */
export function expectedAnswer(
  { operation, route: { permission, path } }: Operation,
  params: Readonly<Record<string, string>>,
  caller: PlainCaller,
  places: Places,
): string {
  if (everybody.includes(permission)) return 'allowed';
  if (caller.role === 'nobody') return '401 not_signed_in';
  if (!hasPermission(caller, permission)) return '403 not_allowed';
  if (ofCaller.test(path) || operation === ofTask) return 'allowed';
  if (ofBody.includes(operation)) return 'open';
  const acts = actsOnExperiment(permission);
  const named = namesIn(operation, params, places);
  if (isOutside(caller, named, acts, places)) return outside;
  const manages = hasPermission(caller, 'experiments.manage');
  if (!acts || manages) return 'allowed';
  const { experiment, unit, isForAll } = named;
  const units =
    isForAll && experiment === undefined ? [...places.experimentOf.keys()] : unit === undefined ? [] : [unit];
  const touched = [experiment, ...units.map((one) => places.experimentOf.get(one))];
  const isStrange = touched.some((name) => {
    const found = name === undefined ? undefined : places.experiments.get(name);
    return found?.isProtected === true && !found.people.includes(caller.personId);
  });
  return isStrange ? notMember : 'allowed';
}
