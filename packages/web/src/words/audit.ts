import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const auditWords = {
  // Audit sentence
  plainParts: {
    worker: 'unit',
    workers: 'units',
    artefact: 'file',
    config: 'configuration',
    oidc: 'institution account',
    csv: 'CSV',
    od: 'OD',
    led: 'LED',
    usb: 'USB',
    pin: 'PIN',
  },
  wholeSentences: {
    signIn: 'signed in',
    signOut: 'signed out',
    signInWithOidc: 'signed in with the account of an institution',
    signInWithPasskey: 'signed in with a passkey',
    startOidcSignIn: 'began to sign in with the account of an institution',
    createFirstPerson: 'created the first account',
    enterPin: 'entered a PIN on a shared tablet',
    endActing: 'left a shared tablet',
    saveSharedConfig: 'saved the shared configuration',
    stopEverywhere: 'stopped everything',
    updateFromArchive: 'updated the leader from an archive',
    updateToNextVersion: 'updated the leader to the next version',
    callLeaderPlugin: 'used a plugin',
    beginEnrolment: 'asked to join',
    enrolUnit: 'joined',
    callMcpWithoutSlash: 'used the interface for assistants',
    callMcp: 'used the interface for assistants',
  },
  askedTo: (verb: string, job: string) => `asked to ${verb} ${job}`,
  stoppedAllPumps: 'stopped all pumps',
  stoppedNothing: 'asked to stop jobs, of which none ran',
  severalUnits: 'several units',
  runningProfile: 'A running profile',
  somebodyOnThisNetwork: 'Somebody on this network',
  somebodyNotSignedIn: 'Somebody not signed in',
  leader: 'The leader',
  codeWords: {
    dilution_not_confirmed: 'Refused: would dilute',
    job_already_running: 'Failed: ran already',
    connection_error: 'Failed: no answer',
    task_timeout: 'Failed: no answer',
  },
  refused: 'Refused',

  // Audit table
  entryDetails: (
    moment: ReactNode,
    seq: number,
    caller: string,
    callerKind: string,
    address: string,
    channel: string,
  ) => rich`${moment} · entry ${seq} · ${caller} (${callerKind}) from ${address}, ${channel}`,
  reasonGiven: (reason: string) => `Reason: ${reason}`,
  request: 'Request',
  before: 'Before',
  after: 'After',
  requestSha256: (requestId: string, hash: string) => `Request ${requestId} · SHA-256 ${hash}`,
  detailsOfEntry: (seq: number, entry: string) => `Details of entry ${seq}: ${entry}`,

  // Experiment audit
  loadingAudit: 'Loading the audit',
  noEntryConcernsThisExperiment: 'No entry concerns this experiment.',
  theseAreNewestEntries: (shownEntries: number) =>
    `These are the newest ${shownEntries} entries; the page Audit has all.`,

  // Audit verification
  verification: 'Verification',
  verifyNow: 'Verify now',
  verificationHelp: 'Each entry contains the hash of the one before. Verification computes all hashes again.',
  entriesNoneChangedOrRemoved: (entries: number) =>
    `${entries} entries, none changed or removed. Keep the last hash in another place: it detects the removal of the newest entries.`,
  chainBroken: (firstWrong: ReactNode, entries: number) =>
    rich`Entry ${firstWrong} does not continue the chain of the ${entries} entries before it. Compare the store with a backup from before.`,
  auditWasManipulated: 'The audit was manipulated',
  exportAsCsv: 'Export as CSV',
  exportAsJsonLines: 'Export as JSON Lines',

  // Audit page
  allEntries: 'All entries',
  changes: 'Changes',
  signInsAndSignOuts: 'Sign-ins and sign-outs',
  refusals: 'Refusals',
  otherFailures: 'Other failures',
  personOrToken: 'Person or token',
  noEntryMatchesTheseFilters: 'No entry matches these filters.',
  showEarlierEntries: 'Show earlier entries',
} as const;
