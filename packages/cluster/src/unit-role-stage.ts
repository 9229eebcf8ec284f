import { crashPoint, type Stage } from '@lcs/platform';
import { createUnitRole, type UnitRole, type UnitRoleOptions } from '@lcs/unit';
import type { BoardOutputs } from './board-stage.ts';
import type { MachineOutputs } from './machine-stage.ts';
import type { NodeInputs } from './node-inputs.ts';
import { systemClockSync } from './system-clock-sync.ts';
import type { UnitStoresOutputs } from './unit-stores-stage.ts';

/** What differs between a unit and a leader with a board. */
interface OptionsOfThisNode
  extends Pick<
    UnitRoleOptions,
    | 'instance'
    | 'replace'
    | 'code'
    | 'release'
    | 'address'
    | 'camera'
    | 'mqttUrl'
    | 'leading'
    | 'newId'
    | 'random'
    | 'leaderUrl'
  > {}

type Inputs = NodeInputs &
  BoardOutputs &
  UnitStoresOutputs &
  MachineOutputs & {
    /** Where tasks and jobs of the node are recorded. */
    readonly nodeDatabase: UnitRoleOptions['nodeDatabase'];
    readonly options: OptionsOfThisNode;
  };

export interface UnitRoleOutputs {
  readonly role: UnitRole;
}

/** The unit role over its board and its stores. */
export function unitRoleStage(inputs: Inputs): Stage<UnitRoleOutputs> {
  const { name: unit, folder, identity, clock, wire, log, board, unitDatabase, outboxDatabase } = inputs;
  const { host, uploads, usb } = inputs.machine;
  const role = createUnitRole({
    nodeDatabase: inputs.nodeDatabase,
    tasks: inputs.tasks,
    ...inputs.options,
    unit,
    dataFolder: folder.path,
    identity,
    identityKey: inputs.identityKey,
    clock,
    wire,
    log,
    board,
    database: unitDatabase,
    outboxDatabase,
    version: inputs.version,
    hostSynced: inputs.hostSynced ?? systemClockSync({ wire }),
    powerOff: async () => {
      if (host.refusal !== undefined) return false;
      await host.shutDown();
      return true;
    },
    plugins: {
      sources: {
        uploads: { find: (id) => uploads.find(id) },
        drives: { holds: (path) => usb.holds(path) },
      },
      ...inputs.pluginOptions,
    },
    ...(inputs.crashAt && { probe: crashPoint(inputs.crashAt) }),
  });
  return { outputs: { role }, services: role.parts };
}
