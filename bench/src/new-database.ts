import { randomUUID } from 'node:crypto';
import { PostgresAdmin, testPostgres } from '../../packages/platform/src/testing/index.ts';

/** A server with the settings of operation, if the address of one of its databases is given; else that of the tests, without `fsync`. */
const serverUrl = process.env.LCS_BENCH_POSTGRES;

/** A new database on the server. */
export async function makeDatabase(): Promise<{ url: string; server: string; admin: PostgresAdmin; name: string }> {
  const address = serverUrl ?? (await testPostgres()).url('postgres');
  const admin = await PostgresAdmin.open(address);
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  await admin.run(`create database ${name} template template0 encoding 'UTF8' locale 'C'`);
  const url = new URL(address);
  url.pathname = `/${name}`;
  return { url: url.href, server: serverUrl === undefined ? 'without fsync' : 'as in operation', admin, name };
}
