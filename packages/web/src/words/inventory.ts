import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const inventoryWords = {
  // Health
  health: 'Health',
  noFinding: 'Nothing found',

  // Add unit
  nameOfUnit: 'Name of the unit',
  codeNameHelp: 'The code then works for this name only. Empty: for any unit',
  itWorksOnceUntil: (moment: ReactNode) =>
    rich`It works once, until ${moment}. The leader does not show it again. On the machine of the unit, type:`,
  addressIsLocal: (hostname: string) =>
    `${hostname} is the address of the leader for its own machine only. For a unit on another machine, replace it by the leader's address on the network.`,
  copyCommand: 'Copy the command',
  codeHelp:
    'A one-time code lets one machine join this leader. It is valid for 15 minutes and until the leader restarts.',
  makeCode: 'Make a code',
  anyUnit: 'any unit',
  oneTimeCodeForUntil: (reactorUnit: string, moment: ReactNode) =>
    rich`One-time code for ${reactorUnit}, until ${moment}`,
  void: 'Void',
  voidCodeFor: (reactorUnit: string) => `Void the code for ${reactorUnit}`,
  oneTimeCodes: 'One-time codes',

  // Join requests panel
  letJoinQuestion: (unit: string) => `Let ${unit} join?`,
  refuseQuestion: (unit: string) => `Refuse ${unit}?`,
  unitAtLogsItsFingerprint: (address: string) =>
    `The unit at ${address} logs its fingerprint. Let it join only if it is the same:`,
  refuseConsequence: (address: string) =>
    `The machine at ${address} may not ask again for an hour. A one-time code still admits it.`,
  takesOverName: (unit: string) =>
    `Another machine has the name ${unit}: the leader refuses this one until you let it join. Then it takes over the name, and the leader refuses the other machine.`,
  codeIsUsed: 'The code is used or has expired. A unit that joined with it is on this page.',
  letItJoin: 'Let it join',
  refuse: 'Refuse',
  fromWaitsSince: (address: string, moment: ReactNode) => rich`from ${address} · waits since ${moment}`,
  takesOverNameNote:
    ' · refused so far, as another machine has this name. Let it join to give it the name, or refuse it and start it with another name',
  approved: 'Approved: it joins at its next attempt.',
  letJoin: 'Let join',
  letJoinNamed: (unit: string) => `Let join: ${unit}`,
  refuseNamed: (unit: string) => `Refuse ${unit}`,
  requestsToJoin: 'Requests to join',
  loadingRequestsToJoin: 'Loading requests to join',
  noUnitWaits:
    'No unit waits. With a one-time code a unit joins at once. Without one it asks to join when it is started with',
  lcsUnitLeader: (origin: string) => `lcs unit --leader ${origin}`,

  // New units
  modelOf: (unit: string) => `Model of ${unit}`,
  addToInventory: (unit: string) => `Add to the inventory: ${unit}`,
  unitsFound: (count: number) => (count === 1 ? '1 unit found' : `${count} units found`),
  addAll: 'Add all',
  addCount: (count: number) => `Add ${count}`,
  foundHelp: 'They have joined the leader. Choose the model of each; then experiments can use them.',

  // Machine action dialog
  reboot: 'Reboot',
  rebootConsequence:
    'All jobs stop, heating and pumps included. After the start the unit resumes those that may be resumed.',
  rebooting: 'Rebooting',
  reboots: 'reboots',
  shutDown: 'Shut down',
  shutDownConsequence: 'All jobs stop. A unit that is shut down must be switched on by hand.',
  shuttingDown: 'Shutting down',
  shutsDown: 'shuts down',
  updateConsequence:
    'The next release in the folder of releases of the leader is installed, one unit after the other. Jobs stop during the restart of a unit and are resumed after it.',
  updating: 'Updating',
  isUpdated: 'is updated',
  unitWaits: (unit: string) => `${unit}: waiting`,
  leaderPreparesRelease: 'The leader prepares the release.',
  units: (count: number) => `${count} units`,

  // Unit change dialog
  issueNewCredentialsTo: (unit: string) => `Issue new credentials to ${unit}?`,
  newCredentialsEffect:
    'The unit receives them at its next contact. Until then the former ones are valid. Its jobs continue.',
  issueNewCredentials: 'Issue new credentials',
  revokeCredentialsOf: (unit: string) => `Revoke the credentials of ${unit}?`,
  revokeEffect:
    'The leader refuses this machine at once, and sends it nothing more. It joins again with a one-time code or an approval.',
  revokeJobsGoOn: 'Its jobs go on: stop them here before, or on its machine with “lcs stop --all”.',
  removeFromInventoryQuestion: (unit: string) => `Remove ${unit} from the inventory?`,
  removeEffect:
    'Its jobs are stopped and it leaves its experiment. Recorded data, labels and the event log are kept. It stays enrolled and appears as a unit that was found; to keep it out, revoke its credentials.',
  removeReachesLater: 'A unit that is off receives the change when it returns.',

  // Units table
  belongsToAnotherLeader: 'belongs to another leader',
  notEnrolled: 'not enrolled',
  offlineFor: (span: string) => `offline for ${span}`,
  clocksEqual: 'equal',
  noJobs: 'none',
  changeActivity: (isActive: number) => (isActive === 1 ? 'Deactivate' : 'Activate'),
  issueNewCredentialsDialog: 'Issue new credentials…',
  revokeItsCredentials: 'Revoke its credentials…',
  removeFromInventoryDialog: 'Remove from the inventory…',
  inactiveNote: (isActive: number) => (isActive === 1 ? '' : ', inactive'),
  free: 'free',
  leaderVersion: (leaderVersion: string) => ` (leader ${leaderVersion})`,
  unitsSelected: (count: number) => (count === 1 ? '1 unit selected' : `${count} units selected`),
  noUnitsYet:
    'No units yet. Choose “Add a unit” and start the unit with the code, or start it without one and let it join here.',

  // Inventory page
  inventory: 'Inventory',
} as const;
