export {
  type IniDiagnostic,
  type IniDocument,
  type IniView,
  isTooLong,
  mergeIni,
  normaliseDashes,
  parseIni,
} from '@lcs/contract/ini';
export { actingAccount, byItself, onBehalfOf } from './acting/acting-account.ts';
export { accountOfRequest, actingHeaders } from './acting/acting-header.ts';
export type { Cancel, Clock } from './clock/clock.ts';
export { toTimestamp } from './clock/clock.ts';
export { realClock } from './clock/real-clock.ts';
export { VirtualClock, type VirtualClockOptions } from './clock/virtual-clock.ts';
export { endsWithin, untilAborted, withTimeout } from './clock/with-timeout.ts';
export { removeTemporaryFiles, writeFileDurably } from './files/durable-file.ts';
export { errnoOf, reasonOf } from './files/file-errors.ts';
export { inside, PathOutside } from './files/inside.ts';
export { makeFolders } from './files/make-folders.ts';
export { compileSchema } from './http/compiled-schema.ts';
export { isFromThisMachine } from './http/from-this-machine.ts';
export { HttpAddress } from './http/http-address.ts';
export { HttpServer, type HttpServerOptions, type OnResponse, type PassOn } from './http/http-server.ts';
export { isLoopback, refuseOpenAddress } from './http/listen-address.ts';
export type { ObservedState } from './http/observed-state.ts';
export { ownNames } from './http/own-names.ts';
export { ClientDisconnected } from './http/read-body.ts';
export { addressGroup, callerKey, type RequestRates, usualRequestRates } from './http/request-limiter.ts';
export type { RequestOrigin } from './http/request-origin.ts';
export {
  authorize,
  type EndedRequest,
  type Identify,
  type ObserveRequest,
  type RecordRequest,
} from './http/request-server.ts';
export { describeFault, type Fault, firstFault, jsonPath } from './http/schema-fault.ts';
export { sendEvents } from './http/send-events.ts';
export { type ServedApi, serve } from './http/served-api.ts';
export { unixSocketAgent } from './http/unix-socket.ts';
export type { FileResponse, NotFoundHook, UnknownRequest } from './http/unknown-route.ts';
export type { UpgradeHandler } from './http/upgrades.ts';
export type { ExpectedUpload, UploadReceiver } from './http/upload-receiver.ts';
export {
  encryptedPrefix,
  hiddenSecret,
  isSecretKey,
  lineOfLostSecret,
  withHiddenSecrets,
  withKeptSecrets,
  withoutPlainSecrets,
} from './ini/config-secrets.ts';
export { effectiveConfig, withoutSecrets } from './ini/effective-config.ts';
export { jsonInPieces } from './json/json-in-pieces.ts';
export { parseInPieces } from './json/parse-in-pieces.ts';
export { Composition, type Stage } from './lifecycle/composition.ts';
export type { Service } from './lifecycle/in-order.ts';
export { UncleanStop } from './lifecycle/in-order.ts';
export { lazy } from './lifecycle/lazy.ts';
export { LifecycleTree } from './lifecycle/lifecycle-tree.ts';
export { Listeners } from './lifecycle/listeners.ts';
export { createLog, standardError } from './log/create-log.ts';
export type { Log, LogFields } from './log/log.ts';
export { silentLog } from './log/log.ts';
export { type MemoryLog, memoryLog } from './log/memory-log.ts';
export { prettyDestination } from './log/pretty-destination.ts';
export {
  type MessageListener,
  MqttConnection,
  type MqttConnectionOptions,
  type PublishOptions,
} from './mqtt/mqtt-connection.ts';
export { MqttProbe, type MqttProbeOptions, type MqttProbeOutcome, type ProbeMessage } from './mqtt/mqtt-probe.ts';
export { compileCacheForChild } from './process/compile-cache.ts';
export { programVersion } from './process/program-version.ts';
export { StartupError } from './process/startup-error.ts';
export { sealWithPassphrase, unsealWithPassphrase } from './secrets/passphrase-box.ts';
export { SecretBox } from './secrets/secret-box.ts';
export { readOrMakeSecretKey, readSecretKey } from './secrets/secret-key-file.ts';
export { fileTimestamp } from './store/backup.ts';
export { toSqlValues } from './store/bindings.ts';
export { type CrashAt, crashPoint } from './store/crash-point.ts';
export type { BulkStatement, Database, Probe, StoredDatabase } from './store/database.ts';
export { explain } from './store/explain.ts';
export { checkIntegrity } from './store/integrity.ts';
export { MemoryDatabase } from './store/memory-database.ts';
export type { Migration } from './store/migrations.ts';
export { MoveRefused } from './store/move/move-refused.ts';
export type { MoveProgress } from './store/move/move-store.ts';
export { type MoveEngine, moveStores, type StoreReport, type StoresMove } from './store/move/move-stores.ts';
export type { NamedStore } from './store/move/stores-of-place.ts';
export { ActiveLock, type ActiveProcess, type ActiveState } from './store/postgres/active-lock.ts';
export { ActiveLockKeeper } from './store/postgres/active-lock-keeper.ts';
export { ActiveProcessWatch } from './store/postgres/active-process-watch.ts';
export { Broadcaster, BroadcastListener } from './store/postgres/broadcast.ts';
export { CommitWatch } from './store/postgres/commit-watch.ts';
export { IngestRegister, leaveIngest, registerIngest } from './store/postgres/ingest-register.ts';
export { PostgresDatabase, type PostgresDatabaseOptions } from './store/postgres/postgres-database.ts';
export type { PublicViews } from './store/postgres/public-views.ts';
export { compiledOnce, type QueryTarget, queryBuilder, runOn } from './store/query-builder.ts';
export { readsOver } from './store/reads-over.ts';
export { snapshotDatabase } from './store/snapshot.ts';
export { SqliteDatabase, type SqliteDatabaseOptions } from './store/sqlite-database.ts';
export { StoreError } from './store/store-error.ts';
export { WriterHost } from './store/writer-host.ts';
export type { FinishedTaskRecord, TaskRecord, UnfinishedTaskRecord } from './tasks/task-record.ts';
export { type AcceptedTask, type TaskContext, type TaskKind, TaskRunner } from './tasks/task-runner.ts';
export type { PreparedTask, TaskRunnerOptions } from './tasks/task-runner-options.ts';
export { type TaskDatabase, TaskStore } from './tasks/task-store.ts';
export { type TaskTables, taskMigrations } from './tasks/task-tables.ts';
export { agentFetch } from './tls/agent-fetch.ts';
export { CertificateFiles } from './tls/certificate-files.ts';
export { type KeyedCertificate, machineCertificate } from './tls/machine-certificate.ts';
export { certificateFingerprint, OwnCertificate } from './tls/own-certificate.ts';
export { peerKeyOf } from './tls/peer-key.ts';
export { PinnedAgent, type PinnedAgentOptions } from './tls/pinned-agent.ts';
export { connectPinned, PeerKeyDiffers, type PinnedPeer } from './tls/pinned-connection.ts';
export { keyFingerprint, type PublicKeyText, publicKeyText } from './tls/public-key.ts';
export {
  followCertificate,
  machineServerName,
  type ServerCertificate,
  type ServerTls,
  serverTlsOptions,
} from './tls/server-tls.ts';
export { traceHeaders } from './tracing/current-trace.ts';
export { OtlpTracing } from './tracing/otlp-tracing.ts';
export type { Tracing } from './tracing/tracing.ts';
