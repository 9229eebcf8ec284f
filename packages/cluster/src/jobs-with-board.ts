import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { descriptorHandlers } from '@lcs/node';
import { Composition, type Stage } from '@lcs/platform';
import { type BoardInputs, type BoardOutputs, boardStage } from './board-stage.ts';
import { createFolder } from './create-folder.ts';
import type { JobsOutputs, LeaderNodeJobs, LeaderNodeJobsInputs } from './leader-node-jobs.ts';
import { randomFraction } from './machine-stage.ts';
import type { NodeInputs } from './node-inputs.ts';
import { serveUnitApi } from './unit-api.ts';
import { unitRoleStage } from './unit-role-stage.ts';
import { type UnitStoresOutputs, unitStoresStage } from './unit-stores-stage.ts';

/**
 * The node of a leader that has a board, and so the unit role too. It enrols with itself and is followed as any other unit:
 * the two roles meet over HTTP and MQTT. The guard switches everything off when it starts, whatever the state of the databases.
 */
export async function jobsWithBoardStage(inputs: NodeInputs & BoardInputs): Promise<Stage<JobsOutputs>> {
  const opened = await Composition.of(inputs).open(boardStage);
  const { outputs, services } = await opened.open(unitStoresStage);
  const configFolder = join(inputs.folder.path, 'unit');
  await createFolder(configFolder);
  return { outputs: { composeJobs: (known) => jobsWithBoard({ ...outputs, ...known }, configFolder) }, services };
}

function jobsWithBoard(
  known: LeaderNodeJobsInputs & BoardOutputs & UnitStoresOutputs,
  configFolder: string,
): LeaderNodeJobs {
  const { name: unit, leaderBase, nodeDatabase, address } = known;
  const { clusterJobs, configuration, descriptors, broker } = leaderBase;
  const instance = randomUUID();
  const { outputs, services } = Composition.of(known).add((node) =>
    unitRoleStage({
      ...node,
      options: {
        instance,
        newId: randomUUID,
        random: randomFraction,
        leading: { jobs: clusterJobs.names, sink: clusterJobs.sink, configFolder },
        leaderUrl: () => new URL(address.ownUrl),
        address: () => ({ baseUrl: null, port: address.port }),
        mqttUrl: () => broker.url,
      },
    }),
  );
  const { role } = outputs;
  return {
    runtime: role.runtime,
    plugins: role.plugins.plugins,
    serveNode: (system) =>
      serveUnitApi({
        node: outputs,
        instance,
        nodeDatabase,
        system,
        leader: () => unit,
        // The leader's files are the originals.
        handlers: { ...configuration.nodeHandlers, ...descriptorHandlers(descriptors) },
      }),
    guardSilentMs: () => known.board.actuators.guardSilentMs,
    clockSet: (utcMs) => role.clockSet(utcMs),
    jobServices: services,
    jobServicesAfterHttp: role.partsAfterHttp,
  };
}
