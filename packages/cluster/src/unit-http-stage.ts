import { randomUUID } from 'node:crypto';
import { ApiError } from '@lcs/contract';
import { createNodeSystem } from '@lcs/node';
import { HttpServer, type HttpServerOptions, type ServerTls, type Stage } from '@lcs/platform';
import type { MachineOutputs } from './machine-stage.ts';
import { type NodeInputs, socketPath } from './node-inputs.ts';
import { hostNames } from './tls-stage.ts';
import { serveUnitApi } from './unit-api.ts';
import type { UnitRoleOutputs } from './unit-role-stage.ts';
import type { UnitStoresOutputs } from './unit-stores-stage.ts';

export interface UnitHttpInputs {
  /** Drawn at this start of the program. */
  readonly instance: string;
  readonly leaderUrl: () => string;
  /** Undefined on loopback addresses. */
  readonly tls: ServerTls | undefined;
  readonly http: Pick<HttpServerOptions, 'host' | 'port' | 'checkResponses' | 'onResponse'>;
}

/** Routes of a leader. */
const isForLeader = (path: string): boolean => /^\/(api|mcp|static|exports)(\/|$)/.test(path);

type Inputs = NodeInputs & UnitHttpInputs & UnitStoresOutputs & MachineOutputs & UnitRoleOutputs;

/** The HTTP server of a unit. */
export function unitHttpStage(node: Inputs): Stage<object> {
  const { name: unit, folder, clock, wire, log, instance, leaderUrl, machine, tasks, role, unitDatabase } = node;
  const { leader } = role;
  const system = createNodeSystem({
    ...machine,
    unit,
    isLeader: false,
    leader,
    version: node.version,
    dataFolder: folder.path,
    clock: role.clock,
    wire,
    log,
    newId: randomUUID,
    tasks,
    stopJobs: async () => void (await role.runtime.stopJobs({})),
    leaderTime: role.leaderTime,
    onClockSet: (utcMs) => role.clockSet(utcMs),
  });
  const api = serveUnitApi({
    node: { ...node, clock: role.clock },
    instance,
    nodeDatabase: unitDatabase,
    system,
    leader,
  });
  const http = new HttpServer({
    ...node.http,
    ...(node.tls && { tls: node.tls, allowedHosts: () => hostNames([]) }),
    log,
    clock: wire,
    holds: clock,
    address: node.address,
    unixSocket: socketPath(folder.path),
    identify: role.identify,
    apis: [api],
    uploads: machine.uploads,
    tracing: node.tracing,
    notFound: ({ path }) => {
      if (!isForLeader(path)) throw new ApiError('route_not_found', { path, list: '/unit_api/openapi.json' });
      const name = leader();
      const known = name === '' ? {} : { leader: { name, url: leaderUrl() } };
      throw new ApiError('not_the_leader', { path, unit, ...known });
    },
  });
  return { outputs: {}, services: [http] };
}
