import { ApiError, PassedOnError } from '@lcs/contract';
import type { Log } from '../log/log.ts';
import { StoreError } from '../store/store-error.ts';

/** The facts about a failed request. */
export interface FailedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

const fullDiskCodes = new Set<unknown>(['ENOSPC', 'EDQUOT', 'disk_full']);

/** Whether a write to the store or to a file failed because the disk is full. */
const isStorageFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && fullDiskCodes.has(error.code);

/** Another process holds its lock for a moment, or until a person ends that process; or the database server starts again. */
const retryAfterS = 2;

/** Whether another process keeps a database locked, or its server is away. */
const isUnavailable = (error: unknown): error is StoreError =>
  error instanceof StoreError && (error.code === 'busy' || error.code === 'connection_lost');

/**
 * The ApiError for `error`. An unexpected error is logged with its stack and becomes `internal_error` with the request ID; its text does
 * not leave the node.
 */
export function toApiError(error: unknown, request: FailedRequest, log: Log): ApiError | PassedOnError {
  if (error instanceof ApiError || error instanceof PassedOnError) return error;
  if (isStorageFull(error)) {
    log.error('A request failed because the disk is full', { requestId: request.id, path: request.path });
    return new ApiError('storage_full', {});
  }
  if (isUnavailable(error)) {
    log.error('A request failed because a database is locked or away', {
      requestId: request.id,
      path: request.path,
      error: error.message,
    });
    return new ApiError('store_busy', { retryAfterS });
  }
  if (error instanceof StoreError && error.code === 'outcome_unknown') {
    log.error('Whether a change is stored is unknown', {
      requestId: request.id,
      path: request.path,
      error: error.message,
    });
    return new ApiError('change_outcome_unknown', {});
  }
  log.error('A request failed unexpectedly', {
    requestId: request.id,
    method: request.method,
    path: request.path,
    error: error instanceof Error ? error.message : String(error),
    stack: error instanceof Error ? error.stack : undefined,
  });
  return new ApiError('internal_error', { requestId: request.id });
}
