import { Type } from 'typebox';
import { closed } from '../resources/common.ts';
import { LogQuery, PostedLogEntry, RecentLogQuery } from '../resources/log.ts';
import { LogEntry } from '../resources/system.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { ok } from './answers.ts';

const tag = 'Logs';

const page = {
  method: 'GET',
  description:
    'Newest first. An unknown experiment or unit has no entries. The header `x-next-before` of a full page is the start of the next one.',
  tag,
  permission: 'logs.read',
  query: LogQuery,
  responses: ok(Type.Array(LogEntry)),
  errors: [],
  cache: 'no-store',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const recent = {
  ...page,
  description:
    'The newest 50 of the last 24 hours, newest first, but none from before the experiment. An unknown experiment: of the last 24 hours.',
  query: RecentLogQuery,
} as const satisfies Partial<RouteDeclaration>;

const post = {
  method: 'POST',
  description:
    'Stored when the answer comes, and shown live. `$broadcast`: one entry for each worker of the experiment (all workers for `$experiment`).',
  tag,
  permission: 'logs.write',
  body: PostedLogEntry,
  responses: {
    202: { description: 'Stored', schema: closed({ status: Type.Literal('accepted') }, { title: 'Accepted' }) },
  },
  errors: ['unit_unknown', 'experiment_unknown'],
  cache: 'no-store',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

export const logRoutes = routes({
  listLogs: { ...page, path: '/api/logs', summary: 'The event log of the cluster, all experiments' },
  listExperimentLogs: {
    ...page,
    path: '/api/experiments/{experiment}/logs',
    summary: 'The event log of an experiment; `$experiment`: of the cluster itself',
  },
  listRecentExperimentLogs: {
    ...recent,
    path: '/api/experiments/{experiment}/recent_logs',
    summary: 'The newest entries of an experiment',
  },
  listWorkerLogs: {
    ...page,
    path: '/api/workers/{reactor_unit}/experiments/{experiment}/logs',
    summary: 'Entries of a worker in an experiment while it was assigned to it (and 5 s longer)',
    description: `${page.description} Entries for all units of the experiment are among them.`,
  },
  listRecentWorkerLogs: {
    ...recent,
    path: '/api/workers/{reactor_unit}/experiments/{experiment}/recent_logs',
    summary: 'The newest entries of a worker, of an experiment and of the cluster itself',
  },
  listUnitLogs: {
    ...page,
    path: '/api/units/{reactor_unit}/logs',
    summary: 'All entries of a unit; `$broadcast`: of all units',
  },
  listUnitSystemLogs: {
    ...page,
    path: '/api/units/{reactor_unit}/system_logs',
    summary: 'The entries of a unit that belong to no experiment',
  },
  postWorkerLog: {
    ...post,
    path: '/api/workers/{reactor_unit}/experiments/{experiment}/logs',
    summary: 'Add an entry to the event log of an experiment',
  },
  postUnitLog: {
    ...post,
    path: '/api/units/{reactor_unit}/experiments/{experiment}/logs',
    summary: 'Add an entry to the event log, for any unit',
  },
});
