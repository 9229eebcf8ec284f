import type { AuditEntry } from '@lcs/contract';
import { plainWords } from '../ui/plain-words.ts';

/** What was done, by the first word of an operation. */
const pastTense: Readonly<Record<string, string>> = {
  abort: 'cancelled',
  acknowledge: 'acknowledged',
  add: 'added',
  advance: 'continued',
  apply: 'applied',
  approve: 'approved',
  archive: 'archived',
  assign: 'assigned',
  begin: 'began',
  cancel: 'cancelled',
  change: 'changed',
  check: 'checked',
  clear: 'cleared',
  confirm: 'confirmed',
  correct: 'corrected',
  create: 'created',
  deactivate: 'deactivated',
  deliver: 'sent',
  delete: 'deleted',
  derive: 'derived',
  discard: 'discarded',
  drill: 'tested',
  eject: 'ejected',
  end: 'ended',
  enrol: 'enrolled',
  enter: 'entered',
  export: 'exported',
  fetch: 'fetched',
  follow: 'followed',
  hold: 'paused',
  identify: 'identified',
  import: 'imported',
  install: 'installed',
  invalidate: 'invalidated',
  join: 'joined',
  leave: 'left',
  list: 'listed',
  make: 'made',
  mark: 'marked',
  mount: 'mounted',
  move: 'moved',
  open: 'opened',
  pause: 'paused',
  poll: 'polled',
  publish: 'published',
  put: 'stored',
  read: 'read',
  reboot: 'rebooted',
  record: 'recorded',
  refresh: 'refreshed',
  refuse: 'refused',
  register: 'added',
  rehearse: 'rehearsed',
  reject: 'rejected',
  release: 'released',
  remove: 'removed',
  rename: 'renamed',
  repair: 'repaired',
  replace: 'replaced',
  request: 'requested',
  reset: 'reset',
  restart: 'restarted',
  restore: 'restored',
  resume: 'resumed',
  revoke: 'revoked',
  rotate: 'renewed',
  run: 'started',
  save: 'saved',
  send: 'sent',
  set: 'set',
  shelve: 'muted',
  shut: 'shut',
  sign: 'signed',
  skip: 'skipped',
  start: 'started',
  stop: 'stopped',
  sync: 'synchronised',
  synchronise: 'synchronised',
  take: 'took',
  test: 'tested',
  transfer: 'transferred',
  unarchive: 'reopened',
  unassign: 'removed',
  uninstall: 'removed',
  unshelve: 'unmuted',
  update: 'changed',
  upload: 'uploaded',
  validate: 'checked',
  verify: 'verified',
  write: 'wrote',
};

/** Words of the API that people do not use. */
const plainParts: Readonly<Record<string, string>> = {
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
};

const wordsOf = (operation: string): readonly string[] =>
  operation
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ');

/** Operations whose name says less than people need. */
const wholeSentences: Readonly<Record<string, string>> = {
  signIn: 'signed in',
  signOut: 'signed out',
  signInWithOidc: 'signed in with the account of an institution',
  signInWithPasskey: 'signed in with a passkey',
  startOidcSignIn: 'began to sign in with the account of an institution',
  createFirstPerson: 'created the first account',
  enterPin: 'entered a PIN on a shared tablet',
  endActing: 'left a shared tablet',
  saveSharedConfig: 'saved the shared configuration',
  stopJobs: 'stopped jobs of all units',
  stopEverything: 'stopped everything',
  beginEnrolment: 'asked to join',
  enrolUnit: 'joined',
  callMcp: 'used the interface for assistants',
};

/** Operations on one job, which the entry names. */
const jobVerb = (verb: string): string | undefined =>
  ({ run: 'started', stop: 'stopped', update: 'changed' })[verb] ?? undefined;

/** What a request did, without its subject: `started OD reading`. */
export function deedOf({ operation, job }: Pick<AuditEntry, 'operation' | 'job'>): string {
  const known = wholeSentences[operation];
  if (known !== undefined) return known;
  const [verb = '', ...rest] = wordsOf(operation);
  const ofJob = job === null ? undefined : jobVerb(verb);
  if (ofJob !== undefined && job !== null) return `${ofJob} ${plainWords(job)}`;
  const object = rest.filter((word) => word !== 'patch' && word !== 'by').map((word) => plainParts[word] ?? word);
  return [pastTense[verb] ?? verb, ...object].join(' ');
}

/** On what: `unit1 in ramp`. */
export function subjectOf({ experiment, unit }: Pick<AuditEntry, 'experiment' | 'unit'>): string {
  const where = unit === '$broadcast' ? 'all units' : unit;
  const which = experiment === '$experiment' ? null : experiment;
  if (where === null) return which ?? '';
  return which === null ? where : `${where} in ${which}`;
}

/** Who: the name of an account, or what is known of a caller without one. */
export function callerOf({
  caller,
  caller_kind: kind,
  channel,
}: Pick<AuditEntry, 'caller' | 'caller_kind' | 'channel'>) {
  if (channel === 'profile') return 'A running profile';
  if (kind === 'local') return 'Somebody on this network';
  if (kind === 'anonymous') return 'Somebody not signed in';
  if (kind === 'leader') return 'The leader';
  return caller;
}

const refusedStatuses = [401, 403];

/** With what result, in a word. */
export function outcomeOf({ status }: Pick<AuditEntry, 'status'>): { readonly text: string; readonly isBad: boolean } {
  if (status < 400) return { text: 'Done', isBad: false };
  return { text: refusedStatuses.includes(status) ? 'Refused' : 'Failed', isBad: true };
}
