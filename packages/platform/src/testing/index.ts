/** The entry point `@lcs/platform/testing`: shared by the tests of all packages. No program imports it. */
export { PostgresSqlReader } from '../store/postgres/postgres-sql-reader.ts';
export { isPostgresInstalled, KillablePostgres, PostgresAdmin, testPostgres } from './postgres-server.ts';
export { startedDatabase, temporaryFolder } from './test-database.ts';
export { reaching, world } from './test-tasks.ts';
export { testWriter } from './test-writer.ts';
export { toyApi } from './toy-server.ts';
