import { createHash } from 'node:crypto';

/** An entry before it has its place in the chain. */
export interface NewAuditEntry {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly caller_kind: string;
  readonly caller: string;
  /** ID of the person, or empty. */
  readonly caller_id: string;
  readonly address: string;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** JSON, without secrets and long texts. */
  readonly body: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly request_id: string;
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

/** SHA-256 over number, previous hash and all fields, in the order of the table. */
export function hashOf(entry: Omit<AuditRecord, 'hash'>): string {
  const { seq, previous_hash, at, caller_kind, caller, caller_id, address, operation, method, path, body } = entry;
  const { status, code, request_id } = entry;
  const fields = [
    ...[seq, previous_hash, at, caller_kind, caller, caller_id, address, operation, method, path],
    ...[body, status, code, request_id],
  ];
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
const secretName = /password|secret|token|key$|^code$|url$/i;

/** A body as the audit stores it: no secrets, no files. */
export function auditedBody(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  return JSON.stringify(body, (name, value: unknown) => {
    if (typeof value !== 'string') return value;
    const isFile = value.length > longestText || value.includes('\n');
    if (isFile) return `(${value.length} characters, SHA-256 ${createHash('sha256').update(value).digest('hex')})`;
    return secretName.test(name) ? '(secret)' : value;
  });
}
