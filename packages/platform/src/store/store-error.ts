/** The stable error codes of the store. */
export type StoreErrorCode =
  // Life of the store
  | 'not_running'
  | 'writer_lost'
  | 'connection_lost'
  /** Of a change whose connection ended while it was stored. */
  | 'outcome_unknown'
  /** Of a process whose work another one does now. */
  | 'fenced'
  // Transactions
  | 'write_time_limit'
  | 'transaction_ended'
  | 'transaction_rolled_back'
  | 'unsupported'
  // Values
  | 'value_refused'
  | 'number_too_large'
  // Answers of the database engine
  | 'unique_violation'
  | 'foreign_key_violation'
  | 'constraint_violation'
  | 'busy'
  | 'read_only'
  | 'disk_full'
  | 'disk_failed'
  | 'damaged'
  | 'query_failed'
  // At the start
  | 'database_unopenable'
  | 'database_in_use'
  | 'database_damaged'
  | 'database_foreign'
  | 'database_newer'
  | 'migration_changed'
  | 'migration_failed'
  | 'migrations_invalid'
  | 'backup_failed';

/** A failure of the store. The message is one sentence for the operator. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

export const notRunning = (): StoreError => new StoreError('not_running', 'The store is not running.');

/** A StoreError as a message between threads. */
export interface StoreErrorData {
  readonly code: StoreErrorCode;
  readonly message: string;
}

export const storeErrorData = (error: StoreError): StoreErrorData => ({ code: error.code, message: error.message });

/** Extended result codes with more information than their class: https://www.sqlite.org/rescode.html */
const extendedCodes: ReadonlyMap<number, StoreErrorCode> = new Map([
  [787, 'foreign_key_violation'],
  [1555, 'unique_violation'],
  [2067, 'unique_violation'],
  [2579, 'unique_violation'],
]);

const primaryCodes: ReadonlyMap<number, StoreErrorCode> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'read_only'],
  [10, 'disk_failed'],
  [11, 'damaged'],
  [13, 'disk_full'],
  [14, 'database_unopenable'],
  [19, 'constraint_violation'],
  [26, 'damaged'],
]);

const codeOf = (error: Error): StoreErrorCode => {
  if ('errcode' in error && typeof error.errcode === 'number') {
    return extendedCodes.get(error.errcode) ?? primaryCodes.get(error.errcode & 0xff) ?? 'query_failed';
  }
  if ('code' in error && error.code === 'ERR_OUT_OF_RANGE') return 'number_too_large';
  if ('code' in error && (error.code === 'ERR_INVALID_ARG_TYPE' || error.code === 'ERR_INVALID_ARG_VALUE')) {
    return 'value_refused';
  }
  return 'query_failed';
};

/** Another process has locked the file. */
export const lockedDatabase = (path: string, cause?: unknown): StoreError =>
  new StoreError(
    'busy',
    `The database ${path} is locked by another process. End that process, or wait until it has finished.`,
    { cause },
  );

/** The same failure; that of a lock with the file's name. */
export const namingFile = (error: unknown, path: string): unknown =>
  error instanceof StoreError && error.code === 'busy' ? lockedDatabase(path, error) : error;

/** Converts any error of the store to a StoreError. */
export const toStoreError = (error: unknown): StoreError => {
  if (error instanceof StoreError) return error;
  if (error instanceof Error) return new StoreError(codeOf(error), error.message, { cause: error });
  return new StoreError('query_failed', String(error), { cause: error });
};
