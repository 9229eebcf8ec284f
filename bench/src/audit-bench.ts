import { join } from 'node:path';
import { experimentRoutes } from '@lcs/contract';
import { HttpServer, realClock, SqliteDatabase, serve, silentLog } from '@lcs/platform';
import autocannon from 'autocannon';
import { AuditLog } from '../../packages/leader/src/audit/audit-log.ts';
import { type AuditTables, auditMigrations } from '../../packages/leader/src/audit/audit-tables.ts';
import { createExperiment } from '../../packages/leader/src/experiments/create-experiment.ts';
import { updateExperiment } from '../../packages/leader/src/experiments/update-experiment.ts';
import { startTestLeader } from '../../packages/leader/src/testing/test-leader.ts';
import type { Figure } from './figures.ts';

const never = new AbortController().signal;
const seconds = 5;
const connections = 20;

/** A change of an experiment, with the routes, the store and the audit of a leader in this process, which also makes the load. */
async function changes({ context }: Awaited<ReturnType<typeof startTestLeader>>, audit?: AuditLog) {
  const http = new HttpServer({
    host: '127.0.0.1',
    port: 0,
    log: silentLog(),
    clock: realClock(),
    apis: [
      serve(
        { updateExperiment: experimentRoutes.updateExperiment },
        {
          updateExperiment: async ({ params, body }) => ({
            status: 200,
            body: await updateExperiment(context, params.experiment, body),
          }),
        },
      ),
    ],
    ...(audit && { recordRequest: audit.record, observeRequest: audit.observe }),
  });
  await http.start(never);
  try {
    const { requests, latency, non2xx, errors } = await autocannon({
      url: `http://127.0.0.1:${http.port}/api/experiments/bench`,
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ description: 'another sentence' }),
      connections,
      duration: seconds,
    });
    if (non2xx + errors > 0) throw new Error('some requests failed');
    return { perSecond: requests.average, p99Ms: latency.p99 };
  } finally {
    await http.stop();
  }
}

/** What the audit costs: the same changes with and without it. */
export async function auditBench(): Promise<Figure[]> {
  await using leader = await startTestLeader();
  await createExperiment(leader.context, { experiment: 'bench' });
  const file = new SqliteDatabase<AuditTables>({
    path: join(leader.context.dataFolder, 'audit.sqlite'),
    migrations: auditMigrations,
    clock: realClock(),
    log: silentLog(),
  });
  await file.start(never);
  const audit = new AuditLog({ ...leader.context, audit: file });
  await audit.start();
  const without = await changes(leader);
  const audited = await changes(leader, audit);
  await audit.stop();
  await file.stop();
  const conditions = 'in one process with the load; the entry is on disk when it is answered';
  return [
    { name: 'PATCH of an experiment without the audit', value: without.perSecond, unit: '/s', limit: conditions },
    { name: 'PATCH of an experiment with the audit', value: audited.perSecond, unit: '/s', limit: conditions },
    { name: 'the same without the audit, p99', value: without.p99Ms, unit: 'ms' },
    { name: 'the same with the audit, p99', value: audited.p99Ms, unit: 'ms' },
  ];
}
