import { Type } from 'typebox';
import { ProcessHealth, Readiness } from '../resources/readiness.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

const shared = { method: 'GET', tag: 'System', errors: [], cache: 'no-store', origin: 'extension' } as const;

/** For programs that watch the leader: their addresses are those that Prometheus and load balancers expect. */
export const metricsRoutes = routes({
  getMetrics: {
    ...shared,
    path: '/metrics',
    summary: 'Metrics in the text format of Prometheus',
    description:
      'Units, jobs, alarms, newest readings, store, disk, requests and the process itself. Requests are counted from the first call on.',
    permission: 'system.read',
    responses: {
      200: {
        description: 'The metrics',
        schema: Type.String(),
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
      },
    },
  },
  getReadiness: {
    ...shared,
    path: '/readyz',
    summary: 'Whether the leader can answer requests',
    description:
      '503 while it stops, when its store cannot be read, and as a standby: a load balancer then chooses another.',
    permission: 'health.read',
    responses: ok(Readiness),
    errors: ['leader_not_ready', 'control_standby', 'control_away'],
  },
  getLiveness: {
    ...shared,
    path: '/healthz',
    summary: 'Whether the process runs',
    description: 'Also as the standby of a control process, and without a database server.',
    permission: 'health.read',
    responses: ok(ProcessHealth),
  },
});
