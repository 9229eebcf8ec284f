import { unitApi } from '@lcs/contract';
import { type JobRuntimeOptions, jobHandlers, type NodeSystem, nodeHandlers } from '@lcs/node';
import { type ServedApi, serve } from '@lcs/platform';
import type { MachineOutputs } from './machine-stage.ts';
import type { NodeInputs } from './node-inputs.ts';
import type { UnitRoleOutputs } from './unit-role-stage.ts';

interface UnitApiInputs {
  readonly node: Pick<NodeInputs, 'name' | 'clock' | 'wire' | 'log' | 'version'> &
    UnitRoleOutputs &
    Pick<MachineOutputs, 'tasks'>;
  readonly instance: string;
  readonly nodeDatabase: JobRuntimeOptions['database'];
  readonly system: NodeSystem;
  /** In the place of the unit's own. */
  readonly handlers?: Partial<Parameters<typeof serve<typeof unitApi>>[1]>;
  /** Name of the leader; empty before there is one. */
  readonly leader: () => string;
}

/** `/unit_api` of a node with the unit role. */
export function serveUnitApi({ node, instance, nodeDatabase, system, handlers, leader }: UnitApiInputs): ServedApi {
  const { name: unit, version, clock, wire, log, role, tasks } = node;
  const { runtime, mayStart, unavailable } = role;
  const jobs = () => runtime.definitions();
  const countUnread = ({ job = '' }: Readonly<Record<string, string>>) => runtime.countInvalidStart(job);
  return role.afterDesired(
    serve(
      unitApi,
      {
        ...nodeHandlers({
          unit,
          version,
          instance,
          clock,
          tasks,
          api: unitApi,
          jobs,
          lastUsed: () => runtime.lastUsed(),
          defaultsOf: (definition) => runtime.defaultsOf(definition),
          unavailable,
        }),
        ...jobHandlers({
          runtime,
          tasks,
          database: nodeDatabase,
          clock,
          wire,
          log,
          unit,
          leader,
          mayStart,
          pid: process.pid,
        }),
        ...role.handlers,
        ...system.handlers,
        ...handlers,
      },
      { runJob: countUnread, runJobByPatch: countUnread },
    ),
  );
}
