import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Composition, descriptorHandlers } from '@lcs/platform';
import { type BoardChoice, boardStage } from './board-stage.ts';
import { createFolder } from './create-folder.ts';
import type { LeaderSide, LeaderSideNeeds } from './leader-side.ts';
import { randomFraction } from './machine-stage.ts';
import { serveUnitApi } from './unit-api.ts';
import { unitRoleStage } from './unit-role-stage.ts';
import { unitStoresStage } from './unit-stores-stage.ts';

/**
 * The node of a leader that has a board, and so the unit role too. It enrols with itself and is followed as any other unit:
 * the two roles meet over HTTP and MQTT.
 */
export async function boardSide(needs: LeaderSideNeeds, boardChoice: BoardChoice): Promise<LeaderSide> {
  const { name: unit, folder, leaderRole, nodeDatabase, address } = needs;
  const instance = randomUUID();
  const configFolder = join(folder.path, 'unit');
  // The guard switches everything off when it starts, whatever the state of the databases: the board is the first stage.
  const opened = await Composition.of({ ...needs, boardChoice }).open(boardStage);
  const stored = await opened.open(unitStoresStage);
  await createFolder(configFolder);
  const { definitions, outlet } = leaderRole.ownJobs;
  const { outputs: node } = stored.add((known) =>
    unitRoleStage({
      ...known,
      choice: {
        ...{ instance, newId: randomUUID, random: randomFraction, leading: { definitions, outlet, configFolder } },
        leaderUrl: () => new URL(address.url),
        address: () => ({ baseUrl: null, port: address.port }),
        mqttUrl: () => leaderRole.broker.url,
      },
    }),
  );
  const { role } = node;
  const { runtime, plugins } = role;
  return {
    ...{ runtime, plugins },
    serveApi: (system) =>
      serveUnitApi({
        ...{ node, instance, nodeDatabase, system, leader: () => unit },
        // The leader's files are the originals.
        handlers: { ...leaderRole.configHandlers, ...descriptorHandlers(leaderRole.descriptors) },
      }),
    clockSet: (utcMs) => role.clockSet(utcMs),
    stores: stored.services,
    parts: role.parts,
    partsAfterHttp: role.partsAfterHttp,
  };
}
