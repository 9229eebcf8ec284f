import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const systemWords = {
  // Available text
  install: 'Install',
  installedOn: (places: string) => `Installed on ${places}`,
  whichIsNewer: ', which is newer',
  unitHasVersion: (unit: string, version: string, text: string) => `${unit} has ${version}${text}`,
  hasNone: (unit: string) => `${unit} has none`,
  unitsFetchFromRegistry: 'Each unit fetches this version from the package registry that its npm uses.',
  unitsFetchFromOtherRegistry: (source: string) =>
    `Each unit fetches this version from the package registry that its npm uses, which need not be ${source}: the package there may be another one.`,

  // Installing a plugin
  installNamed: (name: string, text: string) => `Install ${name}${text}`,

  // Available plugins
  noDescription: 'No description.',
  byAuthor: (author: string) => `By ${author}`,
  itsPage: 'Its page',
  listSwitchedOff: 'The list is switched off on the leader. Install a plugin by its name above.',
  listNotRead: (problem: string) =>
    `The leader could not read the list of plugins. ${problem} A plugin can still be installed by its name, from a file or from a USB drive.`,
  fromRead: (source: string, moment: ReactNode) =>
    rich`From ${source}, read ${moment}. Anybody can publish there: install only what you trust.`,
  installOnAllUnitsNamed: (pluginName: string, version: string) => `Install ${pluginName} ${version} on all units?`,
  installConsequence: (author: string | null, origin: string) =>
    `Its code runs on the leader and on all units${author === null ? '' : `; its author is ${author}`}. Running jobs are not interrupted. ${origin}`,
  installOnAllUnits: 'Install on all units',
  availablePlugins: 'Available plugins',
  loadingListOfPlugins: 'Loading the list of plugins',
  pluginsCannotBeInstalledNow: (code: ReactNode) => rich`Plugins cannot be installed now. ${code}`,
  searchAvailablePlugins: 'Search available plugins',
  nameDescriptionAuthor: 'Name, description, author',
  listHasNoPluginsYet: 'The list has no plugins yet.',
  noPluginMatches: 'No plugin matches.',
  moreFound: (count: number) => `${count} more: search for their name.`,

  // Backup plan text
  everyDay: 'Every day',
  onlyOnRequest: 'Only on request',
  everyH: (hours: number) => `Every ${hours} h`,
  daily: (daily: number) => `${daily} daily`,
  weekly: (weekly: number) => `${weekly} weekly`,
  newestOnly: 'the newest only',
  oftenAndKept: (often: string, kept: string) => `${often}; keeps ${kept}`,
  newBackupReplacesPresentOne: 'A new backup replaces the present one.',
  replacesToday:
    'Of today (UTC) the first and the newest backup are kept: a backup made now replaces those between them.',

  // Backups panel
  lastVerified: 'Last verified',
  noBackupYet: 'No backup yet',
  withinTenMinutes: 'Within ten minutes',
  keysNotKnown:
    'Whether backups contain the keys is not known: leader.ini cannot be read. Correct it on the machine of the leader.',
  backupsContainNoKeys:
    'Backups contain no keys: after a restore units must enrol again, and passwords of leader.ini must be entered again. To include the keys, encrypted, set a passphrase in leader.ini (section [backup], key passphrase).',
  onSameDisk:
    'This is on the disk of the leader itself, and is lost with it. Name a folder on another disk in leader.ini (section [backup], key folder), then start the leader again.',
  download: 'Download',
  downloadNamed: (backupName: string) => `Download ${backupName}`,
  howToRestoreBackup: 'How to restore a backup',
  stopLeaderOnItsMachine:
    'Stop the leader on its machine. On a new machine, install the program, and do not start the leader.',
  downloadedBackup: 'A downloaded backup: unpack the zip there. Its folder has the name of the backup.',
  lcsRestoreReplace: (folder: string) => `lcs restore ${folder} --replace`,
  runOrWithAnotherFolder: (code: ReactNode) =>
    rich`Run ${code}, or with another folder. It verifies the backup first, and moves the present data aside.`,
  startLeaderAgain: 'Start the leader again. Units send what they have measured since.',
  made: 'Made',
  size: 'Size',
  nameForLcsRestore: 'Name, for lcs restore',
  makeBackupNow: 'Make a backup now',
  loadingBackups: 'Loading backups',
  noBackupCouldBeMade: 'No backup could be made',
  backupWasMadeAndVerified: 'The backup was made and verified: it can be restored.',
  removedByPlan: (removed: string) =>
    `Removed by the plan, which keeps the newest backup of each day and week, and the first of today: ${removed}.`,
  noBackupsYet: 'No backups yet. The first one is made by itself, or now with the button.',

  // Plugins panel
  byAuthorSentence: (author: string) => `By ${author}.`,
  unitsWith: (name: string) => `Units with ${name}`,
  cannotBeUsed: (error: string) => `: cannot be used. ${error}`,
  removeFromAllUnits: (name: string) => `Remove ${name} from all units?`,
  uninstallConsequence: 'Its jobs are stopped and can no longer be started. Their measurements are kept.',
  packageName: 'Package name',
  installWarning: 'Its code runs on the leader and on all units: install only what you trust.',
  loadingPlugins: 'Loading plugins',
  noPluginIsInstalled: 'No plugin is installed. Plugins add jobs, automations, charts and datasets.',
  noAnswerFrom: (unanswered: string) => `No answer from: ${unanswered}.`,

  // System pages
  listOfAvailablePlugins: 'The list of available plugins',
} as const;
