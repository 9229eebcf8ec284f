export const paletteWords = {
  groups: {
    commands: 'Commands',
    jobs: 'Jobs',
    pages: 'Pages',
    experiments: 'Experiments',
    exports: 'Exports',
    units: 'Units',
    settings: 'Configuration',
  },

  // Job targets
  startOnAllUnits: (title: string, count: number) => `Start ${title} on all ${count} units`,

  startOnUnit: (jobOnUnit: string) => `Start ${jobOnUnit}`,
  stopOnUnit: (jobOnUnit: string) => `Stop ${jobOnUnit}`,

  // Palette
  pageExperimentUnitOrCommand: 'Page, experiment, unit or command',
  typePartOfName: 'Type a part of a name',
  found: 'Found',
  nothingHasThisName: 'Nothing has this name.',

  // Command palette
  alarmRules: 'Alarm rules',
  alarmRulesSynonyms: 'limits thresholds severity',
  alarmHistory: 'Alarm history',
  alarmHistorySynonyms: 'past cleared',
  notificationsSynonyms: 'e-mail email webhook channels alarms test',
  stopHint: 'pumps, this experiment, everything',
  stopSynonyms: 'emergency halt off',
  stopMenuHint: 'shows what it ends first',
  assignUnitsTo: (experiment: string) => `Assign units to ${experiment}`,
  assignHint: 'free units, or those of another experiment',
  assignSynonyms: 'add move unit vial reactor',
  addNote: 'Add a note',
  noteHint: 'log, sample',
  noteSynonyms: 'comment observation photo',
  exportOf: (experiment: string) => `Export data of ${experiment}`,
  exportSynonyms: 'download csv zip capsule',
} as const;
