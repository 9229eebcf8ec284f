import type {
  Actuation,
  Alarm,
  AlarmChannel,
  AlarmDelivery,
  AlarmRule,
  AlarmWithHistory,
  Assignment,
  AuditEntry,
  AuditVerification,
  AutomationDescriptor,
  AvailablePlugins,
  Backups,
  BiomassSignals,
  BioreactorValues,
  Blank,
  Calibration,
  CalibrationProtocol,
  CalibrationSummary,
  CamerasOfExperiment,
  ChartDescriptor,
  ChartPreferences,
  ConfigHistoryEntry,
  DistinctCapabilities,
  EnrolmentCode,
  Experiment,
  ExperimentAccess,
  ExperimentProfileEntry,
  ExportableDataset,
  FlaggedSpan,
  GrowthComparison,
  GrowthSummary,
  HeldJob,
  HistoricalAssignment,
  ImportReport,
  Interruption,
  JobDescriptor,
  JoinRequest,
  LeaderHealth,
  LibraryProfile,
  ListedImports,
  LiveJob,
  MediaRates,
  Model,
  OtherLeaders,
  Passkey,
  Person,
  PreflightReport,
  ProfileChecked,
  ProfilePlan,
  ProfileRun,
  ProfileRunAction,
  ProfileRunDetails,
  RecentStop,
  ReplicateGroup,
  RunningProfile,
  Session,
  SessionEnvelope,
  SignedInSession,
  Sparklines,
  Stills,
  TaskRecord,
  Token,
  UnitLabels,
  UnitLatest,
  UnitStatus,
  UsbStatus,
  Worker,
} from '@lcs/contract';
import { queryOptions } from '@tanstack/react-query';

/** The leader that serves this page. */
export interface LeaderIdentity {
  readonly leader: string;
  readonly version: string;
  /** How far its clock is ahead of the clock of this device, in milliseconds. */
  readonly aheadMs: number;
}

/** The content of a vial, and what is left in its bottle of medium (null: not known). */
export interface Vial {
  readonly values: BioreactorValues;
  readonly mediaLeftMl: number | null;
}

/** A configuration file as it was read. */
export interface ConfigFileText {
  readonly text: string;
  /** Undefined when the answer has no version. */
  readonly version: string | undefined;
}

/** A profile as it was read. */
export interface ProfileFileText {
  readonly text: string;
  /** Undefined when the answer has no version. */
  readonly version: string | undefined;
}

/**
 * The keys of the query cache, each with the type of its data: all reads and updates of the cache use these keys.
 */
export const queryKeys = {
  setUp: queryOptions<{ readonly is_needed: boolean }>({ queryKey: ['set-up'] }).queryKey,
  identityProvider: queryOptions<{ readonly name: string | null }>({ queryKey: ['identity provider'] }).queryKey,
  session: queryOptions<Session>({ queryKey: ['session'] }).queryKey,
  people: queryOptions<readonly Person[]>({ queryKey: ['people'] }).queryKey,
  sessions: queryOptions<readonly SignedInSession[]>({ queryKey: ['sessions'] }).queryKey,
  passkeys: queryOptions<readonly Passkey[]>({ queryKey: ['passkeys'] }).queryKey,
  tokens: queryOptions<readonly Token[]>({ queryKey: ['tokens'] }).queryKey,
  audit: queryOptions<readonly AuditEntry[]>({ queryKey: ['audit'] }).queryKey,
  auditVerification: queryOptions<AuditVerification>({ queryKey: ['audit verification'] }).queryKey,
  leader: queryOptions<LeaderIdentity>({ queryKey: ['leader'] }).queryKey,
  experiments: queryOptions<readonly Experiment[]>({ queryKey: ['experiments'] }).queryKey,
  /** Owner, members and protection. */
  allExperimentAccess: ['experiment access'],
  experimentAccess: (experiment: string) =>
    queryOptions<ExperimentAccess>({ queryKey: ['experiment access', experiment] }).queryKey,
  assignments: queryOptions<readonly Assignment[]>({ queryKey: ['assignments'] }).queryKey,
  workers: queryOptions<readonly Worker[]>({ queryKey: ['workers'] }).queryKey,
  units: queryOptions<readonly UnitStatus[]>({ queryKey: ['units'] }).queryKey,
  /** Machines that wait for an approval. */
  joinRequests: queryOptions<readonly JoinRequest[]>({ queryKey: ['join requests'] }).queryKey,
  enrolmentCodes: queryOptions<readonly EnrolmentCode[]>({ queryKey: ['enrolment codes'] }).queryKey,
  /** Names of enrolled units that are not in the inventory. */
  newUnits: queryOptions<readonly string[]>({ queryKey: ['new units'] }).queryKey,
  /** Jobs that run or were lost, of all units. */
  jobs: queryOptions<readonly LiveJob[]>({ queryKey: ['jobs'] }).queryKey,
  /** Jobs that wait for a person since a restart of their unit, of all units. */
  heldJobs: queryOptions<readonly HeldJob[]>({ queryKey: ['held jobs'] }).queryKey,
  stops: queryOptions<readonly RecentStop[]>({ queryKey: ['stops'] }).queryKey,
  /** All that are not cleared. */
  openAlarms: queryOptions<readonly Alarm[]>({ queryKey: ['open alarms'] }).queryKey,
  allAlarmHistories: ['alarm history'],
  alarm: (alarmId: string) => queryOptions<AlarmWithHistory>({ queryKey: ['alarm history', alarmId] }).queryKey,
  alarmRules: queryOptions<readonly AlarmRule[]>({ queryKey: ['alarm rules'] }).queryKey,
  alarmChannels: queryOptions<readonly AlarmChannel[]>({ queryKey: ['alarm channels'] }).queryKey,
  alarmDeliveries: queryOptions<readonly AlarmDelivery[]>({ queryKey: ['alarm deliveries'] }).queryKey,
  /** Of all assigned units. */
  drives: (machine: string) => queryOptions<UsbStatus>({ queryKey: ['drives', machine] }).queryKey,
  latestTemperatures: queryOptions<{ readonly units: readonly UnitLatest[]; readonly atMs: number }>({
    queryKey: ['latest', 'temperatures'],
  }).queryKey,
  latest: queryOptions<{ readonly units: readonly UnitLatest[]; readonly requestedMs: number }>({
    queryKey: ['latest'],
  }).queryKey,
  allSparklines: ['sparklines'],
  sparklines: (source: string, lookbackHours: number) =>
    queryOptions<Sparklines>({ queryKey: ['sparklines', source, lookbackHours] }).queryKey,
  stills: (experiment: string, unit: string) =>
    queryOptions<Stills>({ queryKey: ['stills', experiment, unit] }).queryKey,
  cameras: (experiment: string) => queryOptions<CamerasOfExperiment>({ queryKey: ['cameras', experiment] }).queryKey,
  /** Addresses by unit. */
  pictures: (experiment: string) =>
    queryOptions<ReadonlyMap<string, string>>({ queryKey: ['pictures', experiment] }).queryKey,
  models: queryOptions<readonly Model[]>({ queryKey: ['models'] }).queryKey,
  allLabels: ['labels'],
  labels: (experiment: string) => queryOptions<UnitLabels>({ queryKey: ['labels', experiment] }).queryKey,
  replicateGroups: (experiment: string) =>
    queryOptions<readonly ReplicateGroup[]>({ queryKey: ['replicate groups', experiment] }).queryKey,
  allHistories: ['assignment history'],
  history: (experiment: string) =>
    queryOptions<readonly HistoricalAssignment[]>({ queryKey: ['assignment history', experiment] }).queryKey,
  growthSummary: (experiment: string) =>
    queryOptions<GrowthSummary>({ queryKey: ['growth summary', experiment] }).queryKey,
  growthComparison: (experiments: readonly string[], align: string, od: number | undefined) =>
    queryOptions<GrowthComparison>({ queryKey: ['growth comparison', experiments, align, od] }).queryKey,
  interruptions: (experiment: string) =>
    queryOptions<readonly Interruption[]>({ queryKey: ['interruptions', experiment] }).queryKey,
  datasets: queryOptions<readonly ExportableDataset[]>({ queryKey: ['datasets'] }).queryKey,
  chartDescriptors: queryOptions<readonly ChartDescriptor[]>({ queryKey: ['chart descriptors'] }).queryKey,
  allChartPreferences: ['chart preferences'],
  chartPreferences: (experiment: string) =>
    queryOptions<ChartPreferences>({ queryKey: ['chart preferences', experiment] }).queryKey,
  allConfigFiles: ['configuration files'],
  /** Without `unit` the shared file. */
  configFile: (unit: string | undefined) =>
    queryOptions<ConfigFileText>({ queryKey: ['configuration files', unit ?? '', 'text'] }).queryKey,
  configHistory: (unit: string | undefined, limit: number) =>
    queryOptions<readonly ConfigHistoryEntry[]>({ queryKey: ['configuration files', unit ?? '', 'history', limit] })
      .queryKey,
  sharedConfig: queryOptions<string>({ queryKey: ['shared configuration'] }).queryKey,
  jobDescriptors: queryOptions<readonly JobDescriptor[]>({ queryKey: ['job descriptors'] }).queryKey,
  /** Of a unit that has jobs which the leader does not describe. */
  jobDescriptorsOf: (unit: string) =>
    queryOptions<readonly JobDescriptor[]>({ queryKey: ['job descriptors', unit] }).queryKey,
  automationDescriptors: (kind: string) =>
    queryOptions<readonly AutomationDescriptor[]>({ queryKey: ['automation descriptors', kind] }).queryKey,
  /** Of all units: equal ones once. */
  capabilities: queryOptions<DistinctCapabilities>({ queryKey: ['capabilities'] }).queryKey,
  biomassSignals: (unit: string) => queryOptions<BiomassSignals>({ queryKey: ['biomass signals', unit] }).queryKey,
  media: (experiment: string) => queryOptions<MediaRates>({ queryKey: ['media', experiment] }).queryKey,
  vial: (unit: string, experiment: string) => queryOptions<Vial>({ queryKey: ['vial', unit, experiment] }).queryKey,
  ledActuations: (unit: string) =>
    queryOptions<readonly (Actuation | undefined)[]>({ queryKey: ['led actuations', unit] }).queryKey,
  ledLabels: (unit: string) =>
    queryOptions<Readonly<Record<string, string>>>({ queryKey: ['led labels', unit] }).queryKey,
  sampleFlags: (experiment: string, hours: number) =>
    queryOptions<readonly FlaggedSpan[]>({ queryKey: ['sample flags', experiment, hours] }).queryKey,
  allCalibrations: queryOptions<readonly CalibrationSummary[]>({ queryKey: ['all calibrations'] }).queryKey,
  allActiveCurves: ['active curves'],
  activeCurves: (device: string) =>
    queryOptions<readonly Calibration[]>({ queryKey: ['active curves', device] }).queryKey,
  blanks: queryOptions<readonly Blank[]>({ queryKey: ['blanks'] }).queryKey,
  calibrationsOfUnits: ['calibrations'],
  calibrations: (unit: string) =>
    queryOptions<Readonly<Record<string, readonly Calibration[]>>>({ queryKey: ['calibrations', unit] }).queryKey,
  protocolsOfUnits: ['calibration protocols'],
  calibrationProtocols: (unit: string) =>
    queryOptions<readonly CalibrationProtocol[]>({ queryKey: ['calibration protocols', unit] }).queryKey,
  /** The procedures of all units, with those that are open. */
  offeredProcedures: queryOptions<
    readonly { readonly unit: string; readonly procedures: readonly CalibrationProtocol[] }[]
  >({
    queryKey: ['offered procedures'],
  }).queryKey,
  calibrationSession: (unit: string, session: string) =>
    queryOptions<SessionEnvelope>({ queryKey: ['calibration session', unit, session] }).queryKey,
  profiles: queryOptions<readonly ExperimentProfileEntry[]>({ queryKey: ['profiles'] }).queryKey,
  profile: (filename: string) => queryOptions<ProfileFileText>({ queryKey: ['profile', filename] }).queryKey,
  profileCheck: (text: string) => queryOptions<ProfileChecked>({ queryKey: ['profile check', text] }).queryKey,
  profilePreflight: (filename: string, experiment: string, units: string) =>
    queryOptions<PreflightReport>({ queryKey: ['profile preflight', filename, experiment, units] }).queryKey,
  profilePlan: (text: string, experiment: string | undefined) =>
    queryOptions<ProfilePlan>({ queryKey: ['profile plan', text, experiment ?? ''] }).queryKey,
  profileSchema: queryOptions<Readonly<Record<string, unknown>>>({ queryKey: ['profile schema'] }).queryKey,
  profileLibrary: queryOptions<readonly LibraryProfile[]>({ queryKey: ['profile library'] }).queryKey,
  allProfileRuns: ['profile runs'],
  /** A run, whatever was read of what waits. */
  profileRun: (experiment: string, run: string) => ['profile runs', 'run', experiment, run, 'details'],
  profileRunPart: (experiment: string, run: string, waiting: string | number) =>
    queryOptions<ProfileRunDetails>({ queryKey: ['profile runs', 'run', experiment, run, 'details', waiting] })
      .queryKey,
  profileRunStopper: (experiment: string, run: string) =>
    queryOptions<string | null>({ queryKey: ['profile runs', 'stopper', experiment, run] }).queryKey,
  profileRunActions: (experiment: string, run: string, limit: number | undefined) =>
    queryOptions<readonly ProfileRunAction[]>({ queryKey: ['profile runs', 'run', experiment, run, 'actions', limit] })
      .queryKey,
  runningProfiles: (experiment: string) =>
    queryOptions<readonly RunningProfile[]>({ queryKey: ['profile runs', 'running', experiment] }).queryKey,
  lastProfileRun: (experiment: string) =>
    queryOptions<readonly ProfileRun[]>({ queryKey: ['profile runs', 'last', experiment] }).queryKey,
  newestProfileRuns: queryOptions<readonly ProfileRun[]>({ queryKey: ['profile runs', 'newest'] }).queryKey,
  otherLeaders: queryOptions<OtherLeaders>({ queryKey: ['other leaders'] }).queryKey,
  leaderHealth: queryOptions<LeaderHealth>({ queryKey: ['leader health'] }).queryKey,
  availablePlugins: queryOptions<AvailablePlugins>({ queryKey: ['available plugins'] }).queryKey,
  imports: queryOptions<ListedImports>({ queryKey: ['imports'] }).queryKey,
  importReport: (importId: string) => queryOptions<ImportReport>({ queryKey: ['imports', importId] }).queryKey,
  backups: queryOptions<Backups>({ queryKey: ['backups'] }).queryKey,
  /** The task of the export that this page began last. */
  newestExport: (experiment: string) => queryOptions<string>({ queryKey: ['newest export', experiment] }).queryKey,
  task: (taskId: string) => queryOptions<TaskRecord>({ queryKey: ['task', taskId] }).queryKey,
} as const;
