import { Type } from 'typebox';
import { AppVersion, Health } from '../resources/system.ts';
import { FinishedTask, UnfinishedTask } from '../resources/task.ts';
import { routes } from '../route.ts';
import { acknowledged, ok } from './answers.ts';

const openApi = Type.Object({ openapi: Type.String() }, { title: 'OpenApiDocument' });

/** Routes of the leader for programs and web UIs. */
export const leaderSystemRoutes = routes({
  followLive: {
    method: 'GET',
    path: '/api/live',
    summary: 'All changes, as server-sent events',
    description: 'A snapshot first, then changes with IDs; `Last-Event-ID` resumes. See docs/interfaces/live.md.',
    tag: 'Live',
    permission: 'experiments.read',
    responses: {
      200: { description: 'The event stream', schema: Type.String(), contentType: 'text/event-stream; charset=utf-8' },
    },
    errors: ['too_many_live_connections'],
    cache: 'no-store',
    origin: 'extension',
  },
  getLeaderOpenApi: {
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    tag: 'System',
    permission: 'system.read',
    responses: ok(openApi),
    errors: [],
    cache: 'no-cache',
    origin: 'extension',
  },
  browseReference: {
    method: 'GET',
    path: '/api/docs',
    summary: 'The reference of both interfaces, to read in a browser',
    tag: 'System',
    permission: 'system.read',
    responses: { 200: { description: 'A page', schema: Type.String(), contentType: 'text/html; charset=utf-8' } },
    errors: [],
    cache: 'no-cache',
    origin: 'extension',
  },
});

const version = {
  tag: 'System',
  permission: 'system.read',
  responses: ok(AppVersion),
  errors: [],
  cache: 30,
  origin: 'specification',
} as const;

/** Routes that every node has. */
export const nodeRoutes = routes({
  getTaskResult: {
    method: 'GET',
    path: '/unit_api/task_results/{task_id}',
    summary: 'Progress or result of a task',
    description: '202 while it is pending or running; 200 when it has succeeded or failed. Kept for 24 hours.',
    tag: 'Tasks',
    permission: 'tasks.read',
    responses: {
      200: { description: 'Ended', schema: FinishedTask },
      202: { description: 'Not ended yet', schema: UnfinishedTask },
    },
    errors: ['task_not_found'],
    cache: 'no-store',
    origin: 'specification',
  },
  cancelTask: {
    method: 'DELETE',
    path: '/unit_api/task_results/{task_id}',
    summary: 'Cancel a task',
    description: 'The task ends as failed with that cause as soon as possible.',
    tag: 'Tasks',
    permission: 'tasks.cancel',
    responses: { 202: { description: 'Being cancelled', schema: acknowledged[200].schema } },
    errors: ['task_not_found', 'task_finished'],
    cache: 'no-store',
    origin: 'extension',
  },
  getHealth: {
    method: 'GET',
    path: '/unit_api/health',
    summary: 'Health, name and time of this node',
    tag: 'System',
    permission: 'health.read',
    responses: ok(Health),
    errors: [],
    cache: 0,
    origin: 'extension',
  },
  getAppVersion: {
    ...version,
    method: 'GET',
    path: '/unit_api/versions/app',
    summary: 'Version of the program',
  },
  getUiVersion: {
    ...version,
    method: 'GET',
    path: '/unit_api/versions/ui',
    summary: 'Version of the user interface (one package with the program)',
  },
  getUnitOpenApi: {
    method: 'GET',
    path: '/unit_api/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    tag: 'System',
    permission: 'system.read',
    responses: ok(openApi),
    errors: [],
    cache: 'no-cache',
    origin: 'extension',
  },
});
