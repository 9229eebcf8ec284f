import { StoreError, type StoreErrorCode } from '../store-error.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const codes: ReadonlyMap<string, StoreErrorCode> = new Map([
  ['23505', 'unique_violation'],
  ['23503', 'foreign_key_violation'],
  ['25006', 'read_only'],
  ['40001', 'busy'],
  ['40P01', 'busy'],
  ['55P03', 'busy'],
  ['53100', 'disk_full'],
  ['58030', 'disk_failed'],
  ['25P02', 'transaction_rolled_back'],
  // Of `require_ingest`.
  ['LCS01', 'fenced'],
]);

const classes: ReadonlyMap<string, StoreErrorCode> = new Map([
  ['08', 'connection_lost'],
  ['23', 'constraint_violation'],
  ['57', 'connection_lost'],
  ['XX', 'damaged'],
]);

/** A statement that was cancelled; the connection remains. */
const cancelled = '57014';

const stateOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;

const codeOf = (state: string): StoreErrorCode =>
  state === cancelled ? 'query_failed' : (codes.get(state) ?? classes.get(state.slice(0, 2)) ?? 'query_failed');

/** Why, without the address of the server: texts of the system and of the server with a code may have it, those of the client have none. */
function reasonIn(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const reason = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return ` (${reason})`;
}

/** The connection to the server is not there, or ended during the call. */
export const connectionLost = (cause?: unknown): StoreError =>
  new StoreError(
    'connection_lost',
    `The connection to the database server was lost${reasonIn(cause)}. Check that PostgreSQL runs; the node connects again by itself.`,
    { cause },
  );

/** The connection ended during a commit. */
export const outcomeUnknown = (cause: unknown): StoreError =>
  new StoreError(
    'outcome_unknown',
    'The connection to the database server was lost while a change was stored: it may be stored or not.',
    { cause },
  );

/** Converts an error of the server, or of the connection to it, to a StoreError. */
export const toPostgresError = (error: unknown): StoreError => {
  if (error instanceof StoreError) return error;
  if (!(error instanceof Error)) return new StoreError('query_failed', String(error), { cause: error });
  const state = stateOf(error);
  // What the server did not answer was a failure of the connection.
  if (state === undefined) return connectionLost(error);
  const code = codeOf(state);
  return code === 'connection_lost' ? connectionLost(error) : new StoreError(code, error.message, { cause: error });
};
