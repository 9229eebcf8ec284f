import type { Permission } from './permissions.ts';
import type { RouteDeclaration } from './route.ts';
import { type LeaderApi, leaderApi, type NodeApi, nodeApi } from './routes/index.ts';

/**
 * Where the experiment and the unit that a request concerns are named:
 * - `path`: in the parameters `experiment` and `reactor_unit`;
 * - `node`: the node that answers is the unit;
 * - `body`: in the body; the handler checks it;
 * - `cluster`: the request concerns the whole cluster, or several experiments;
 * - `caller`: the request concerns the caller alone, or makes further requests in the name of the caller.
 */
export type ScopeSource = 'path' | 'node' | 'body' | 'cluster' | 'caller';

type NamesScope<Path extends string> = Path extends
  | `${string}{experiment}${string}`
  | `${string}{reactor_unit}${string}`
  ? true
  : false;

/** Operations of the leader whose path names neither an experiment nor a unit. */
type OtherOperation = {
  [Operation in keyof LeaderApi]: NamesScope<LeaderApi[Operation]['path']> extends true ? never : Operation;
}[keyof LeaderApi];

/** A new route without a scope in its path does not compile before it is listed here. */
const otherScopes = {
  getSession: 'caller',
  signIn: 'caller',
  getSetUp: 'caller',
  createFirstPerson: 'caller',
  signOut: 'caller',
  changeOwnPassword: 'caller',
  listSessions: 'caller',
  endSession: 'caller',
  listTokens: 'caller',
  createToken: 'caller',
  revokeToken: 'caller',
  getIdentityProvider: 'caller',
  startOidcSignIn: 'caller',
  signInWithOidc: 'caller',
  startTablet: 'caller',
  setPin: 'caller',
  deletePin: 'caller',
  enterPin: 'caller',
  endActing: 'caller',
  startPasskeySignIn: 'caller',
  signInWithPasskey: 'caller',
  listPasskeys: 'caller',
  startPasskeyRegistration: 'caller',
  registerPasskey: 'caller',
  renamePasskey: 'caller',
  deletePasskey: 'caller',
  listAllCalibrations: 'cluster',
  listActiveCurves: 'cluster',
  listBlanks: 'cluster',
  getLeaderHealth: 'cluster',
  getMetrics: 'cluster',
  listOtherLeaders: 'cluster',
  getLeaderSummary: 'cluster',
  checkAccess: 'caller',
  getReadiness: 'cluster',
  getLiveness: 'cluster',
  listPeople: 'cluster',
  createPerson: 'cluster',
  updatePerson: 'cluster',
  deletePerson: 'cluster',
  listAudit: 'cluster',
  verifyAudit: 'cluster',
  exportAudit: 'cluster',
  makeBrokerSecurity: 'cluster',
  checkBroker: 'cluster',
  listExperiments: 'cluster',
  createExperiment: 'cluster',
  getLatestExperiment: 'cluster',
  listActiveExperiments: 'cluster',
  listAssignmentCounts: 'cluster',
  listAssignments: 'cluster',
  unassignAllWorkers: 'body',
  listWorkers: 'cluster',
  registerWorker: 'cluster',
  setUpWorker: 'cluster',
  listModels: 'cluster',
  listUnits: 'cluster',
  stopEverywhere: 'cluster',
  discoverWorkers: 'cluster',
  enrolUnit: 'caller',
  beginEnrolment: 'caller',
  listEnrolmentCodes: 'cluster',
  createEnrolmentCode: 'cluster',
  voidEnrolmentCode: 'cluster',
  listJoinRequests: 'cluster',
  approveJoinRequest: 'cluster',
  refuseJoinRequest: 'cluster',
  listReadingSources: 'cluster',
  listLatest: 'cluster',
  listDistinctCapabilities: 'cluster',
  getSparklines: 'cluster',
  listLogs: 'cluster',
  listChartDescriptors: 'cluster',
  getSharedConfig: 'cluster',
  saveSharedConfig: 'cluster',
  listSharedConfigHistory: 'cluster',
  getZippedConfigs: 'cluster',
  listConfigSettings: 'cluster',
  listConfigFiles: 'cluster',
  getConfigFile: 'cluster',
  saveConfigFile: 'cluster',
  listConfigFileHistory: 'cluster',
  listJobDescriptors: 'cluster',
  listSettingsDescriptors: 'cluster',
  listAutomationDescriptors: 'cluster',
  listDescriptorProblems: 'cluster',
  listContributedJobs: 'cluster',
  listContributedAutomations: 'cluster',
  listContributedCharts: 'cluster',
  listExperimentProfiles: 'cluster',
  createExperimentProfile: 'cluster',
  getExperimentProfile: 'cluster',
  saveExperimentProfile: 'cluster',
  deleteExperimentProfile: 'cluster',
  checkExperimentProfile: 'cluster',
  listAllProfileRuns: 'cluster',
  planExperimentProfile: 'cluster',
  formatExperimentProfile: 'cluster',
  simulateExperimentProfile: 'cluster',
  listLibraryProfiles: 'cluster',
  getProfileSchema: 'cluster',
  listContributedProfiles: 'cluster',
  createContributedProfile: 'cluster',
  saveContributedProfile: 'cluster',
  getContributedProfile: 'cluster',
  deleteContributedProfile: 'cluster',
  listExportableDatasets: 'cluster',
  previewExportableDataset: 'cluster',
  compareGrowth: 'cluster',
  estimateExport: 'cluster',
  exportDatasets: 'cluster',
  exportDatasetsToUsb: 'cluster',
  downloadExport: 'cluster',
  downloadMcpExport: 'cluster',
  listContribDatasets: 'cluster',
  previewContribDataset: 'cluster',
  exportContribDatasets: 'cluster',
  listHistoricalMedia: 'cluster',
  listHistoricalOrganisms: 'cluster',
  listAvailablePlugins: 'cluster',
  askLeaderPlugin: 'cluster',
  callLeaderPlugin: 'cluster',
  setClocks: 'cluster',
  uploadToLeader: 'cluster',
  updateFromArchive: 'cluster',
  updateToNextVersion: 'cluster',
  getLocalAccessPoint: 'cluster',
  isLocalAccessPointActive: 'cluster',
  getStaticFile: 'cluster',
  importPioreactor: 'cluster',
  listImports: 'cluster',
  getImport: 'cluster',
  getImportText: 'cluster',
  listArchive: 'cluster',
  sealMonth: 'cluster',
  verifyMonth: 'cluster',
  unsealMonth: 'cluster',
  listBackups: 'cluster',
  createBackup: 'cluster',
  downloadBackup: 'cluster',
  followLive: 'cluster',
  getLeaderOpenApi: 'cluster',
  browseReference: 'cluster',
  callMcp: 'caller',
  callMcpWithoutSlash: 'caller',
  listAlarms: 'cluster',
  getAlarm: 'cluster',
  acknowledgeAlarm: 'cluster',
  shelveAlarm: 'cluster',
  unshelveAlarm: 'cluster',
  listAlarmRules: 'cluster',
  updateAlarmRule: 'cluster',
  resetAlarmRule: 'cluster',
  listAlarmChannels: 'cluster',
  createAlarmChannel: 'cluster',
  updateAlarmChannel: 'cluster',
  deleteAlarmChannel: 'cluster',
  testAlarmChannel: 'cluster',
  listAlarmDeliveries: 'cluster',
  drillAlarms: 'cluster',
} as const satisfies Record<OtherOperation, ScopeSource>;

/** Operations of a path with a scope that depends on the body, too. */
const checkedInBody: ReadonlySet<keyof LeaderApi> = new Set(['assignWorker', 'updateWorkerJob', 'updateUnitJob']);

/** Routes of every node that concern no experiment: its health, and tasks, whose IDs only those know who began them. */
const nodeRoutesOfCaller: ReadonlySet<keyof NodeApi> = new Set(['getHealth', 'getTaskResult']);

const names = (path: string): boolean => /\{(experiment|reactor_unit)\}/.test(path);

/** Where the scope of each route of a leader is named, by operation. */
export function routeScopes(): ReadonlyMap<string, ScopeSource> {
  const inBody = new Set<string>(checkedInBody);
  const ofCaller = new Set<string>(nodeRoutesOfCaller);
  const ofPath = Object.entries<RouteDeclaration>(leaderApi).filter(([, { path }]) => names(path));
  return new Map<string, ScopeSource>([
    ...Object.entries(otherScopes),
    ...ofPath.map(([operation]) => [operation, inBody.has(operation) ? 'body' : 'path'] as const),
    ...Object.keys(nodeApi).map((operation) => [operation, ofCaller.has(operation) ? 'caller' : 'node'] as const),
  ]);
}

/** Permissions to act for which the role alone is enough, also on protected experiments. */
const roleSuffices: ReadonlySet<Permission> = new Set([
  // A stop is always allowed.
  'jobs.stop',
  'tasks.cancel',
  // They change nothing of an experiment.
  'logs.write',
  'exports.run',
  'alarms.act',
  'mcp.use',
]);

/** Whether a request with this permission acts on an experiment: then its protection applies. */
export const needsMembership = (permission: Permission): boolean =>
  !permission.endsWith('.read') && !roleSuffices.has(permission);
