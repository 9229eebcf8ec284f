import { createHash } from 'node:crypto';

/** An entry before it has its place in the chain. */
export interface NewAuditEntry {
  /** 1: an entry of an earlier version, without the fields that are null there. */
  readonly format: 1 | 2;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly caller_kind: string;
  readonly caller: string;
  /** ID of the person, or empty. */
  readonly caller_id: string;
  readonly address: string;
  /** How the command arrived: `http`, `mqtt` or `profile`; null in format 1, which has HTTP only. */
  readonly channel: string | null;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** What the request concerns, from its path and body. */
  readonly experiment: string | null;
  readonly unit: string | null;
  readonly job: string | null;
  /** JSON, without secrets and long texts. */
  readonly body: string | null;
  /** JSON of the fields that the request has changed, before and after; null where the leader does not hold them. */
  readonly before: string | null;
  readonly after: string | null;
  /** Stated by the caller. */
  readonly reason: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly request_id: string;
  /** JSON: the names of the chosen units of a command to several of them; null: it chose none. */
  readonly units: string | null;
}

/** An entry of the audit. */
export interface AuditRecord extends NewAuditEntry {
  readonly seq: number;
  readonly previous_hash: string;
  readonly hash: string;
}

/** The end of an empty chain. */
export const chainStart = { seq: 0, hash: '' } as const;

/** The part of the last entry that the next one continues. */
export type ChainEnd = Pick<AuditRecord, 'seq' | 'hash'>;

type Linked = Omit<AuditRecord, 'hash'>;

/** The fields of both formats, in the order of the first. */
const commonFields = ({ seq, previous_hash, at, caller_kind, caller, caller_id, address, ...rest }: Linked) => {
  const { operation, method, path, body, status, code, request_id } = rest;
  return [
    ...[seq, previous_hash, at, caller_kind, caller, caller_id, address, operation, method, path],
    ...[body, status, code, request_id],
  ];
};

/** An entry without chosen units has the hash that it had before there were any. */
const laterFields = ({ channel, experiment, unit, job, before, after, reason, units }: Linked) => [
  ...[channel, experiment, unit, job],
  ...[before, after, reason],
  ...(units === null ? [] : [units]),
];

/** SHA-256 over number, previous hash and all fields. */
export function hashOf(entry: Linked): string {
  const later = laterFields(entry);
  // The hash of an entry of format 1 does not change; one with a value in a later field is not of that format.
  const isFirstFormat = entry.format === 1 && later.every((field) => field === null);
  const fields = isFirstFormat ? commonFields(entry) : [entry.format, ...commonFields(entry), ...later];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

/** The entries as the next links of the chain. */
export function chained(end: ChainEnd, entries: readonly NewAuditEntry[]): readonly AuditRecord[] {
  const links: AuditRecord[] = [];
  for (const entry of entries) {
    const last = links.at(-1) ?? end;
    const link = { ...entry, seq: last.seq + 1, previous_hash: last.hash };
    links.push({ ...link, hash: hashOf(link) });
  }
  return links;
}

/** Longer texts (files, configurations) are represented by their length and hash. */
const longestText = 200;
/** Addresses too: that of a webhook often contains its secret. */
const secretName = /password|secret|token|key$|^code$|^pin$|url$/i;

/** A value as the audit stores it: no secrets, no files. */
export function auditedBody(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  return JSON.stringify(body, (name, value: unknown) => {
    if (typeof value !== 'string') return value;
    const isFile = value.length > longestText || value.includes('\n');
    if (isFile) return `(${value.length} characters, SHA-256 ${createHash('sha256').update(value).digest('hex')})`;
    return secretName.test(name) ? '(secret)' : value;
  });
}

/** A text as SQLite returns it: without half characters and zeros, which would change the hash of the stored entry. */
export const storedText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
