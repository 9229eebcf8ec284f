export const settingsWords = {
  // Settings pages
  configurationSynonyms: 'config ini parameters defaults smtp',
  pluginsSynonyms: 'extensions install',
  backupsSynonyms: 'restore save disk storage',
  import: 'Import',
  importSynonyms: 'pioreactor migrate move upload zip',
  updates: 'Updates',
  updatesSynonyms: 'upgrade version release',
  peopleSynonyms: 'users accounts roles passwords tokens pin passkeys sessions',
  auditSynonyms: 'history who trail',
  log: 'Log',
  logSynonyms: 'system events messages errors warnings units',
  leaderSynonyms: 'health disk clock network computer',
  about: 'About',
  aboutSynonyms: 'version licence',

  // Health text
  lessThanHourOfReadings: 'Less than an hour of readings: no forecast yet',
  noForecast: 'No readings in the last 24 hours: no forecast',
  moreThan10Years: 'more than 10 years',
  dayCount: (daysLeft: number) => `${daysLeft} days`,
  atDayLeft: (size: string, left: string) => `At ${size} a day, ${left} left`,
  ofThisLeader: 'of this leader',
  connected: 'Connected',
  cannotBeReached: 'Cannot be reached',
  otherProgramsReceiveNothing: 'Other programs receive nothing; units and these pages go on',
  byConfigurationOfThisLeader: 'by the configuration of this leader',
  spaceFreeWith: (size: string, availableBytes: string) => `${size} free${availableBytes}`,
  readingsInLast24Hours: (count: string) => `${count} readings in the last 24 hours`,
  spaceFree: (size: string) => `${size} free`,
  ofSize: (size: string) => `of ${size}`,
  ofOverLastMinute: (cores: number) => `of ${cores} ${cores === 1 ? 'core' : 'cores'}, over the last minute`,
  versionIs: (version: string) => `version ${version}`,

  disk: 'Disk',
  database: 'Database',
  memory: 'Memory',
  load: 'Load',
  mqttBroker: 'MQTT broker',
  runningFor: 'Running for',
  external: 'external',

  // Leader health facts
  loadingHealthOfLeader: 'Loading the health of the leader',

  // Leader page
  agreesWithThisDevice: 'Agrees with this device',
  clockDifference: (fixed: string, aheadMs: number) => `${fixed} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this device`,
  connectedSince: 'Connected since',
  ofThemOnline: (units: number, online: number) => `${units}, of them ${online} online`,
  connection: 'Connection',
  loadingStateOfLeader: 'Loading the state of the leader',

  // Drives
  drives: 'USB drives',
  loadingDrives: 'Loading the drives',
  noDrives: 'No USB drive is connected to the leader.',
  driveSize: 'Size',
  driveState: 'State',
  driveMounted: (free: string | null) => (free === null ? 'Mounted' : `Mounted, ${free} free`),
  driveNotMounted: 'Not mounted',

  // Updates page
  anotherUpdateIsRunning: 'Another update is running. Wait until it has ended.',
  updateIsInstalled: 'The update is installed. Machines that restart appear again in a minute.',
  updateIsNotInstalledOn: (count: number, machines: number) =>
    `The update is not installed on ${count} of ${machines} ${machines === 1 ? 'machine' : 'machines'}.`,
  machineReason: (machines: string, reason: string) => `${machines}: ${reason}`,
  updateBegins: 'The update begins.',
  progressOfUpdate: 'Progress of the update',
  versions: 'Versions',
  machine: 'Machine',
  leaderNamed: (leader: string) => `${leader} (leader)`,
  differsFromLeader: ' – differs from the leader',
  updateAllMachines: 'Update all machines…',
  installReleaseFile: 'Install a release file…',
  sending: 'Sending…',
  installNamedQuestion: (fileName: string) => `Install ${fileName}?`,
  installNextRelease: 'Install the next release?',
  sourceOfNextRelease:
    'It comes from the folder of releases with which the leader was started (--releases). A leader that was started without one installs nothing: choose “Install a release file…” instead.',
  installConsequence:
    'Units are updated first, the leader last. Each program restarts: jobs pause for some seconds and resume as their settings say. The signature of the release is verified before anything changes.',
  installOnAllMachines: 'Install on all machines',

  // Import text
  experimentCount: (count: number, written: string) => `${written} ${count === 1 ? 'experiment' : 'experiments'}`,
  rowCount: (count: number, written: string) => `${written} ${count === 1 ? 'row' : 'rows'}`,
  experimentWith: (coming: string, report: string) => `${coming} with ${report}`,
  somethingWroteDatabaseMeanwhile: 'Something wrote the database meanwhile: stop the other system, then read it again.',
  willCome: (what: string, isWhole: boolean, left: string) =>
    `${what} will come; ${isWhole ? 'nothing is left out' : `${left} will not`}. Nothing was changed yet.`,
  importIsNotComplete: (what: string) => `The import is not complete: ${what} came. Start it again: it continues.`,
  cameAndWereVerified: (what: string, isWhole: boolean, left: string) =>
    `${what} came and were verified; ${isWhole ? 'nothing was left out' : `${left} did not come, for the reasons below`}.`,
  statusWords: { imported: 'comes', known: 'is here already', skipped: 'does not come' },
  asName: (target: string) => ` as ${target}`,
  configurationCompared: (same: number, differing: number, meaningless: number) =>
    `The configuration is compared and not applied: ${same} settings are the same, ${differing} differ, ${meaningless} have no meaning here.`,

  // Import report
  experimentsOfImport: 'Experiments of the import',
  experimentThere: 'Experiment there',
  rows: 'Rows',
  doesNotCome: (text: string) => `Does not come${text}`,
  fromEarlierImport: ' (from an earlier import)',
  tablesOfImport: 'Tables of the import',
  rowsThere: 'Rows there',
  come: 'Come',
  doNotCome: 'Do not come',
  thereAreNone: 'There are none.',
  profilesAndCalibrations: 'Profiles and calibrations',
  tables: 'Tables',
  otherTablesDoNotCome: (count: number) => `${count} other tables do not come`,
  rowCountNote: (count: string) => ` (${count} rows)`,
  downloadWholeReport: 'Download the whole report',

  // Earlier imports
  complete: 'Complete',
  notComplete: 'Not complete',
  earlierImportsAndPlans: 'Earlier imports and plans',
  loadingImports: 'Loading imports',
  nothingWasImportedYet: 'Nothing was imported yet. Name the folder or choose the zip above, then look at the plan.',
  imports: 'Imports',
  report: 'Report',
  show: 'Show',
  reportOfImport: 'Report of an import',
  loadingReport: 'Loading the report',

  // Imports page
  folderOfSource: 'Folder on the computer of the leader',
  folderHelp:
    'It contains storage/pioreactor.sqlite. The service cannot read /home: copy the folder below /var/lib/lcs, for example.',
  namesHelp: 'Names there, each followed by Enter. Empty: all',
  sameNameExists: 'When an experiment of the same name exists here',
  importItAsNameImported: 'Import it as “NAME (imported)”',
  doNotImportIt: 'Do not import it',
  zipFile: 'Zip file',
  chooseZip: 'Choose the zip…',
  wasSent: (fileName: string, size: string) => `${fileName}, ${size}, was sent.`,
  zipOfFolder: (size: string) => `A zip of the folder .pioreactor, up to ${size}.`,
  showWhatWillCome: 'Show what will come',
  importThis: 'Import this',
  importCanBeDeleted: 'You can delete imported experiments again.',
  planOrImportOf: (isPlan: boolean, source: string) => `${isPlan ? 'Plan' : 'Import'} of ${source}`,
  readingSource: 'Reading the source',
  importing: 'Importing',
  youCanLeaveThisPage: 'You can leave this page: it goes on, and is found here again.',
  importHelp:
    'Brings experiments with their readings, events and log, profiles and calibrations of a Pioreactor leader here. The source is only read. Stop the other leader first, or copy its folder after stopping it. You see the plan before anything is changed.',
  partImport: 'The import',

  // About page
  aboutProgram: (version: string) =>
    `Version ${version}. Control and data of a cluster of small bioreactors. Licence: MIT.`,
  referenceOfApi: 'Reference of the API',
  librariesOfWebUi: 'Libraries of the web UI',
} as const;
