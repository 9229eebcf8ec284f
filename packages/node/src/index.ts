export { dataArchiveLimits } from './archives/data-archive.ts';
export { makeRelease, type ReleaseToMake } from './archives/make-release.ts';
export { type OpenZip, openZip, readZip, ZipFault, type ZipMember } from './archives/read-zip.ts';
export { expectReleaseSize, verifyRelease } from './archives/release-archive.ts';
export { sshPublicKey } from './archives/ssh-signature.ts';
export { type PackedFile, storedZip } from './archives/stored-zip.ts';
export { zippedTexts } from './archives/zipped-texts.ts';
export { bytesOf } from './backups/backup-manifest.ts';
export type { BackupRetention } from './backups/backup-retention.ts';
export { backupZip } from './backups/backup-zip.ts';
export { type FoundBackup, listBackups, pruneBackups } from './backups/list-backups.ts';
export { makeBackup } from './backups/make-backup.ts';
export { restoreBackup } from './backups/restore-backup.ts';
export { readRestoreRecord, removeRestoreRecord, writeRestoreRecord } from './backups/restore-record.ts';
export { baseVersions } from './config-rules/base-versions.ts';
export {
  configError,
  lostSecrets,
  onlyWarnings,
} from './config-rules/config-faults.ts';
export { requirementFaults } from './config-rules/config-requirements.ts';
export { normaliseConfigText, validateOwnConfig } from './config-rules/own-config-rules.ts';
export { type DataFolder, nodeUsing, openDataFolder } from './data-folder/data-folder.ts';
export { type Identity, knownIdentity, loadIdentity } from './data-folder/identity.ts';
export { type IdentityKey, loadIdentityKey } from './data-folder/identity-key.ts';
export { DescriptorCatalog } from './descriptors/descriptor-catalog.ts';
export { NodeDescriptors } from './descriptors/node-descriptors.ts';
export { DescriptorFileError, type DescriptorReader, descriptorReader } from './descriptors/yaml-descriptor.ts';
export * from './enrolment/enrolment-proof.ts';
export { HarmlessHost } from './host/harmless-host.ts';
export { type BlockDevice, type Host, HostCommandFailed } from './host/host.ts';
export { LinuxHost } from './host/linux-host.ts';
export { diskSpaceAt } from './host/read-outs.ts';
export type { CommandResult } from './host/run-command.ts';
export type { UsbDrives } from './host/usb-drives.ts';
export { type UsbPlace, type UsbTarget, usbLock } from './host/usb-target.ts';
export { type EndedJobs, EndedJobsFile, endedJobsInMemory } from './jobs/ended-jobs.ts';
export { keyOfCaller } from './jobs/idempotent-commands.ts';
export { BusTopic } from './jobs/job-bus.ts';
export {
  type ActuatorLease,
  type ActuatorPort,
  effectiveStopGroup,
  type Job,
  type JobContext,
  type JobDefinition,
  type JobEvent,
  type JobLogLevel,
  type JobOrigin,
  type JobReading,
  type JobRequest,
  type NodeNow,
  type OverrideListener,
  SettingRefused,
} from './jobs/job-definition.ts';
export { type JobFilter, matchesJob } from './jobs/job-filter.ts';
export { type JobHandlersOptions, jobHandlers, type ReceivedStart } from './jobs/job-handlers.ts';
export { JobMirror, type JobMirrorOptions, type JobMqtt } from './jobs/job-mirror.ts';
export type { InterruptedJob } from './jobs/job-registry.ts';
export { splitJobArguments } from './jobs/job-request.ts';
export { JobRuntime, type JobTarget } from './jobs/job-runtime.ts';
export type { JobNodeFacts, JobRecordSink, JobRuntimeOptions } from './jobs/job-runtime-options.ts';
export { JobEnded, whileRunning } from './jobs/job-scope.ts';
export type { EndReason, JobState } from './jobs/job-state.ts';
export { type JobTables, jobMigrations } from './jobs/job-tables.ts';
export { setTopicFilters } from './jobs/job-topics.ts';
export { keepRunning } from './jobs/keep-running.ts';
export { LastingFault } from './jobs/lasting-fault.ts';
export { PendingRecords } from './jobs/pending-records.ts';
export { failureText } from './jobs/running-job.ts';
export { HostMonitor, monitorEveryMs, RepeatedWarnings } from './monitor/host-monitor.ts';
export { hostMonitorJob, monitorDefinition } from './monitor/host-monitor-job.ts';
export { type HostNumbers, type HostStatistics, hostStatistics } from './monitor/host-statistics.ts';
export { pluginName } from './plugins/compose-plugins.ts';
export { createNodePlugins, type NodePlugins, type NodePluginsOptions } from './plugins/create-plugins.ts';
export { npmPackageTool, type PackageTool, PackageToolFailed } from './plugins/package-tool.ts';
export type { PluginLimits } from './plugins/plugin-child.ts';
export { expectPluginChanges } from './plugins/plugin-guard.ts';
export { pluginCalls } from './plugins/plugin-handlers.ts';
export {
  findSource,
  nameOfSource,
  noSources,
  type PluginSource,
  type PluginSources,
  sourceOnDrive,
} from './plugins/plugin-source.ts';
export type { Plugins } from './plugins/plugins.ts';
export { automationTypeIn, descriptorHandlers } from './routes/descriptor-handlers.ts';
export { type NodeRoutesOptions, nodeHandlers } from './routes/node-handlers.ts';
export { resultPath, taskEvent } from './routes/task-answer.ts';
export { acceptOrLocked, lockedAnswer } from './system/accept.ts';
export { adoptImport } from './system/adopt-import.ts';
export { clearWorkFiles } from './system/clear-work-files.ts';
export { clockTime } from './system/clock-time.ts';
export { createNodeSystem, createUsbDrives, type NodeSystem } from './system/create-node-system.ts';
export { finishImport } from './system/data-import.ts';
export { type Installer, noInstaller, VersionsFolder } from './system/installer.ts';
export { expectFileAccess, expectUploads, markers } from './system/markers.ts';
export { locks, type NodeSystemOptions, type ReleaseOptions } from './system/node-system.ts';
export { configuredRelease, releaseFile } from './system/releases.ts';
export { TextReader } from './texts/text-reader.ts';
export { UploadStore, type UploadStoreOptions } from './uploads/upload-store.ts';
