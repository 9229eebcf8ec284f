export const appWords = {
  // Not found
  noSuchPage: 'There is no page at this address',
  noSuchPageHelp: 'Check the address, or open the list of experiments.',

  // Account menu
  tabletNamed: (name: string) => `Shared tablet ${name}`,
  notSignedIn: 'Not signed in',
  leaveTabletModeDialog: 'Leave tablet mode…',
  changePasswordDialog: 'Change password…',
  signOut: 'Sign out',
  noPersonExists: 'No person exists yet: everybody who uses this machine may do everything.',
  createFirstAdministrator: 'Create the first administrator…',
  accountOf: (label: string) => `Account: ${label}`,

  // Acting bar
  tabletAsksForPin: (sessionName: string) =>
    `Shared tablet ${sessionName}: for each action it asks who you are, and for your PIN.`,
  actsHereForSeconds: (actingName: string, left: string) => `${actingName} acts here for ${left} s.`,

  // Colour scheme menu
  light: 'Light',
  dark: 'Dark',
  likeThisDevice: 'System',
  coloursNow: (label: string) => `Theme: ${label}`,

  // Connection badge
  connecting: 'Connecting',
  live: 'Live',
  sentenceLive: (sentence: string) => `${sentence}, live`,
  reconnecting: 'Reconnecting',
  stateSince: (word: string, time: string, zone: string) => `${word} since ${time} ${zone}`,
  leaderAndVersion: (since: string, leader: string, version: string) =>
    `${since}. Leader: ${leader}, version ${version}`,
  connectionNow: (word: string) => `Connection: ${word}`,

  // Connection notice
  leaderSilent: (lastKnown: string) =>
    `Last known ${lastKnown}: the leader has not responded since then. Units may have changed. Connecting again…`,
  tryNow: 'Try now',

  // Main navigation
  nowSynonyms: 'home start dashboard tiles',
  experimentsSynonyms: 'runs archive compare search',
  unitsSynonyms: 'reactors workers bioreactors inventory add unit',
  protocolsSynonyms: 'profiles schedule program rehearsal ramp',
  calibrationsSynonyms: 'blanks blank pump calibrate standards curves od',
  alarmsSynonyms: 'alerts warnings faults errors acknowledge',
  settingsSynonyms: 'preferences options',

  // Phone bar
  benchNavigation: 'At the bench',

  // Role notice
  viewingOnly: 'Viewing only: actions that need another role are disabled. An administrator can change your role.',

  // Search button
  ctrlK: 'Ctrl K',

  // Version notice
  noticeTexts: {
    reload: 'The leader was updated. This page reloads to match its version.',
    wait: 'The leader was updated. This page reloads as soon as your changes are saved or dropped.',
    mismatch: 'This page and the leader have different versions. Some functions may fail.',
  },
  reloadNow: 'Reload now',

  // Frame of all pages
  lcs: 'LCS',
  navigation: 'Navigation',
  mainNavigation: 'Main',
  thisPage: 'This page',
  skipToContent: 'Skip to the content',
} as const;
