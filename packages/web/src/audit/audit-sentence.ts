import type { AuditEntry } from '@lcs/contract';
import { plainWords } from '../ui/plain-words.ts';

/** What was done, by the first word of an operation. */
const pastTense: Readonly<Record<string, string>> = {
  abort: 'cancelled',
  acknowledge: 'acknowledged',
  activate: 'activated',
  add: 'added',
  advance: 'continued',
  apply: 'applied',
  approve: 'approved',
  archive: 'archived',
  assign: 'assigned',
  begin: 'began',
  blink: 'blinked',
  call: 'called',
  cancel: 'cancelled',
  change: 'changed',
  check: 'checked',
  clear: 'cleared',
  compute: 'computed',
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
  format: 'formatted',
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
  patch: 'changed',
  pause: 'paused',
  plan: 'planned',
  poll: 'polled',
  post: 'posted',
  preflight: 'checked',
  publish: 'published',
  put: 'stored',
  read: 'read',
  reboot: 'rebooted',
  recompute: 'recomputed',
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
  simulate: 'simulated',
  skip: 'skipped',
  start: 'started',
  stop: 'stopped',
  sync: 'synchronised',
  synchronise: 'synchronised',
  take: 'took',
  test: 'tested',
  transfer: 'transferred',
  unarchive: 'reopened',
  unassign: 'unassigned',
  uninstall: 'removed',
  unshelve: 'unmuted',
  update: 'changed',
  upload: 'uploaded',
  validate: 'checked',
  verify: 'verified',
  void: 'voided',
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
  stopEverywhere: 'stopped everything',
  updateFromArchive: 'updated the leader from an archive',
  updateToNextVersion: 'updated the leader to the next version',
  callLeaderPlugin: 'used a plugin',
  beginEnrolment: 'asked to join',
  enrolUnit: 'joined',
  callMcpWithoutSlash: 'used the interface for assistants',
  callMcp: 'used the interface for assistants',
};

/** Operations on one job, which the entry names. */
const jobVerb = (verb: string): string | undefined =>
  ({ run: 'started', stop: 'stopped', update: 'changed' })[verb] ?? undefined;

/** Whether there are words for what an operation did. */
export const isKnownDeed = (operation: string): boolean =>
  Object.hasOwn(wholeSentences, operation) || Object.hasOwn(pastTense, wordsOf(operation)[0] ?? '');

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

/** Operations of which a request may choose some of all units, in its query, which the audit does not have. */
const mayChooseUnits = (operation: string): boolean => /^(run|stop|update)(Worker|Unit)Job/.test(operation);

/** On what: `unit1 in ramp`. */
export function subjectOf({
  experiment,
  unit,
  operation,
}: Pick<AuditEntry, 'experiment' | 'unit' | 'operation'>): string {
  const all = mayChooseUnits(operation) ? 'several units' : 'all units';
  const where = unit === '$broadcast' ? all : unit;
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
