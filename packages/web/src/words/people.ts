export const peopleWords = {
  // Passkeys panel
  passkeyNameHelp: 'The device or key that holds it',
  yourPassword: 'Your password',
  addPasskey: 'Add a passkey',
  renamePasskey: 'Rename the passkey',
  rename: 'Rename',
  passkeys: 'Passkeys',
  worksAt: 'Works at',
  lastUsed: 'Last used',
  never: 'never',
  renamePasskeyNamed: (passkeyName: string) => `Rename the passkey ${passkeyName}`,
  deletePasskey: (passkeyName: string) => `Delete the passkey ${passkeyName}`,
  passkeyNeedsHttps:
    "A passkey needs HTTPS and a host name, or localhost on the leader's own machine; this page was opened at",
  loadingPasskeys: 'Loading passkeys',
  noPasskeysYet: 'No passkeys yet. With one you sign in by fingerprint, face, PIN of the device or security key.',

  // People panel
  viewerSeesEverything: 'Viewer: sees everything',
  operatorAlsoRunsExperiments: 'Operator: also runs experiments',
  administratorMayDoEverything: 'Administrator: may do everything',
  forSignIn: 'For the sign-in',
  nameRule: 'Letters, digits and . _ @ - only, beginning with a letter or digit.',
  fullName: 'Full name',
  role: 'Role',
  createFirstAdministrator: 'Create the first administrator',
  addAPerson: 'Add a person',
  createAdministrator: 'Create administrator',
  addPerson: 'Add person',
  firstPersonConsequence: 'From then on every request needs a sign-in. You sign in next.',
  newPassword: 'New password…',
  newPasswordFor: (name: string) => `New password for ${name}`,
  setPassword: 'Set the password',
  newPasswordConsequence: (name: string) =>
    `All sessions of ${name} end. Tell the password in person; ${name} changes it on the page People after signing in.`,
  roleOf: (name: string) => `Role of ${name}`,
  enable: 'Enable',
  disable: 'Disable',
  disabled: 'disabled',
  accounts: 'Accounts',
  noPeopleYet: 'No people yet.',
  lastSignIn: 'Last sign-in',

  // Pin panel
  pinHint: '4 to 8 digits',
  pinAgain: 'PIN again',
  differsFromPin: 'Differs from the PIN.',
  setYourPin: 'Set your PIN',
  setThePin: 'Set the PIN',
  pinForSharedTablets: 'PIN for shared tablets',
  deletePin: 'Delete the PIN',
  changePin: 'Change the PIN',
  setAPin: 'Set a PIN',
  pinHelp: (hasPin: boolean) =>
    `${hasPin ? 'You have a PIN.' : 'You have no PIN.'} With it you run experiments at a shared tablet of the laboratory, in your name. It works nowhere else.`,

  // Sessions panel
  sessions: 'Sessions',
  signedIn: 'Signed in',
  sharedTabletSetUpBy: (tablet: string, person: string) => `Shared tablet ${tablet}, set up by ${person}`,
  thisSession: 'this session',
  end: 'End',
  tablet: (tablet: string) => `the tablet ${tablet}`,
  endSessionOfFrom: (person: string, address: string) => `End the session of ${person} from ${address}`,
  loadingSessions: 'Loading sessions',

  // Tablet panel
  nameOfTablet: 'Name of the tablet',
  suchAsItsPlace: 'Such as its place: the list of sessions and the audit show it',
  youAreSignedOutHere:
    'You are signed out here. From then on this device shows everything, and asks for name and PIN before each action. You end it in the list of sessions.',
  makeThisDeviceSharedTablet: 'Make this device a shared tablet',
  makeItSharedTablet: 'Make it a shared tablet',
  sharedTablet: 'Shared tablet',
  useThisDevice: 'Use this device…',
  tabletHelp:
    'For a device that stays in the laboratory: it shows everything, and people act at it with their PIN, as operators at most.',

  // Tokens panel
  whatTokenIsFor: 'What the token is for',
  daysUntilItEnds: 'Days until it ends',
  namesEachFollowedByEnter: 'Names, each followed by Enter. Empty: all',
  onlyTheseUnits: 'Only these units',
  readOnly: 'Read only',
  tokenMayRead: 'It reads everything that you may read, and changes nothing.',
  everything: 'Everything',
  tokenMayDoAll: 'It may do everything that you may do.',
  tokenMayDoTicked: 'It may do what is ticked.',
  permissions: 'Permissions',
  makeAToken: 'Make a token',
  makeToken: 'Make token',
  tokenNamed: (tokenName: string) => `Token ${tokenName}`,
  copyItNow: 'Copy it now: the leader does not store it. Programs send it as “Authorization: Bearer …”.',
  copy: 'Copy',
  tokens: 'Tokens',
  madeBy: 'Made by',
  only: 'Only',
  ends: 'Ends',
  revokeToken: (tokenName: string) => `Revoke the token ${tokenName}`,
  tokensForPrograms: 'Tokens for programs',
  loadingTokens: 'Loading tokens',
  noTokensYet: 'No tokens yet. Scripts and MCP clients need one.',

  // People page
  noPersonExistsYet:
    'No person exists yet: everybody who uses this machine may do everything. After the first administrator is created, every request needs a sign-in.',
} as const;
