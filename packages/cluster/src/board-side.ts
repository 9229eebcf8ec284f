import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { unitApi } from '@lcs/contract';
import { descriptorHandlers, jobHandlers, nodeHandlers, programVersion, serve, WriterHost } from '@lcs/platform';
import { chance } from './chance.ts';
import { createFolder } from './create-folder.ts';
import type { LeaderSide, LeaderSideNeeds } from './leader-side.ts';
import { type BoardChoice, createUnitPart, openUnitStores } from './unit-part.ts';

/**
 * The node of a leader that has a board, and so the unit role too. It enrols with itself and is followed as any other unit:
 * the two roles meet over HTTP and MQTT.
 */
export async function boardSide(needs: LeaderSideNeeds, board: BoardChoice): Promise<LeaderSide> {
  const { name: unit, folder, identity, role, system, machine, database, tasks, clock, wire, log, url } = needs;
  const { crashAt, onFatal, hostSynced } = needs;
  const writer = needs.writer ?? new WriterHost();
  const stores = await openUnitStores({
    ...{ dataFolder: folder.path, writer, clock, wire, log, onFatal },
    ...(crashAt && { crashAt }),
  });
  const configFolder = join(folder.path, 'unit');
  await createFolder(configFolder);
  const instance = randomUUID();
  const { definitions, outlet } = role.ownJobs;
  const part = await createUnitPart({
    ...{ unit, dataFolder: folder.path, identity, instance, stores, nodeDatabase: database, tasks, board },
    ...{ clock, wire, log, crashAt, machine, newId: randomUUID, random: chance, hostSynced, plugins: needs.plugins },
    leaderUrl: url,
    address: () => ({ baseUrl: null, port: Number(new URL(url()).port) }),
    mqttUrl: () => role.broker.url,
    leading: { definitions, outlet, configFolder },
    system: () => system,
  });
  const { runtime, plugins, handlers, afterDesired, mayStart, unavailable } = part.role;
  const jobs = () => runtime.definitions();
  const leader = () => unit;
  const countUnread = ({ job = '' }: Readonly<Record<string, string>>) => runtime.countUnread(job);
  const api = afterDesired(
    serve(
      unitApi,
      {
        ...nodeHandlers({ unit, version: programVersion, instance, clock, tasks, api: unitApi, jobs, unavailable }),
        ...jobHandlers({
          ...{ runtime, tasks, database, clock, wire, log, unit, leader, mayStart },
          pid: process.pid,
        }),
        ...handlers,
        ...system.handlers,
        // The leader's files are the originals.
        ...role.configHandlers,
        ...descriptorHandlers(role.descriptors),
      },
      { runJob: countUnread, runJobByPatch: countUnread },
    ),
  );
  return {
    ...{ runtime, plugins, api },
    clockSet: (utcMs) => part.role.clockSet(utcMs),
    stores: [
      ...(part.vialFile ? [part.vialFile] : []),
      // The guard switches everything off when it starts, whatever becomes of the databases.
      ...part.board.parts,
      ...(needs.writer === undefined ? [writer] : []),
      stores.database,
      stores.outboxDatabase,
    ],
    parts: part.role.parts,
    partsAfterHttp: part.role.partsAfterHttp,
  };
}
