export type { PasswordCost } from './access/password.ts';
export { type AuditTables, auditDatabaseFile, auditMigrations } from './audit/audit-tables.ts';
export { type BackupPlace, loadBackupPlace } from './backups/backup-settings.ts';
export { type BrokerSettings, loadBrokerSettings } from './broker/broker-settings.ts';
export { type CapsuleReport, unpackCapsule, verifyCapsule } from './capsules/verify-capsule.ts';
export type { LeaderSchema } from './core/leader-context.ts';
export { loadLeaderSetting } from './core/leader-file.ts';
export { sealLeaderFile } from './core/leader-secrets.ts';
export type { HistoryPort } from './demonstration/past-experiment.ts';
export type { StartDatasets } from './exports/dataset-threads.ts';
export { type FeedClient, HttpFeedClient, type UnitTransport } from './follower/feed-client.ts';
export { FeedFollowers, type FeedFollowersOptions } from './follower/feed-followers.ts';
export type { FeedBatch, FeedMark, IngestPort, IngestRecord } from './follower/ingest-port.ts';
export { FeedRefused, readFeedAnswer } from './follower/read-feed-answer.ts';
export { BatchTooEarly, FeedIngest, type FeedIngestOptions } from './ingest/feed-ingest.ts';
export { ingestPath, ingestProtocol } from './ingest-processes/ingest-messages.ts';
export { ingestToken } from './ingest-processes/ingest-token.ts';
export { IngestWorker } from './ingest-processes/ingest-worker.ts';
export { liveDeliveryHeader, positionOf } from './live/live-position.ts';
export { LiveRelay } from './live/live-relay.ts';
export { loadOtherLeaders } from './other-leaders/other-leaders-settings.ts';
export type { UnitInProcess } from './profiles/rehearsal/memory-leader.ts';
export { rehearsalConfig } from './profiles/rehearsal/rehearsal-config.ts';
export type {
  DrawMessage,
  DrawOrder,
  NumberedOrder,
  RehearsalInput,
  RehearsalUnit,
  Rehearse,
  RehearsedDraws,
} from './profiles/rehearsal/rehearsal-input.ts';
export { rehearsedRun } from './profiles/rehearsal/rehearsed-run.ts';
export type { LeaderBase, NodeJobs } from './role/features-stage.ts';
export {
  createLeaderBase,
  type LeaderRole,
  type LeaderRoleInputs,
  leaderRoleStage,
} from './role/leader-role.ts';
export type { LeaderRoleOptions } from './role/leader-role-options.ts';
export { checkLeaderName } from './role/leader-role-options.ts';
export type { StartReader } from './series/series-readers.ts';
export { createStoredSeries, storedSeriesRoutes } from './series/stored-series.ts';
export { leaderDatabaseFile, leaderMigrations } from './store/migrations.ts';
export { postgresViews } from './store/postgres-views.ts';
