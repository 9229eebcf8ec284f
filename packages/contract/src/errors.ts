import type { ErrorBody } from './error-body.ts';
import { accessErrors } from './errors/access-errors.ts';
import { alarmErrors } from './errors/alarm-errors.ts';
import { archiveErrors } from './errors/archive-errors.ts';
import { bioreactorErrors } from './errors/bioreactor-errors.ts';
import { calibrationErrors } from './errors/calibration-errors.ts';
import { cameraErrors } from './errors/camera-errors.ts';
import { configErrors } from './errors/config-errors.ts';
import { datasetErrors } from './errors/dataset-errors.ts';
import { descriptorErrors } from './errors/descriptor-errors.ts';
import type { ErrorDefinition } from './errors/error-definition.ts';
import { experimentErrors } from './errors/experiment-errors.ts';
import { jobErrors } from './errors/job-errors.ts';
import { pluginErrors } from './errors/plugin-errors.ts';
import { profileErrors } from './errors/profile-errors.ts';
import { proxyErrors } from './errors/proxy-errors.ts';
import { requestErrors } from './errors/request-errors.ts';
import { seriesErrors } from './errors/series-errors.ts';
import { signInErrors } from './errors/sign-in-errors.ts';
import { systemErrors } from './errors/system-errors.ts';
import { taskErrors } from './errors/task-errors.ts';
import { unitErrors } from './errors/unit-errors.ts';
import { uploadErrors } from './errors/upload-errors.ts';
import { workerErrors } from './errors/worker-errors.ts';

export * from './error-body.ts';
export * from './is-error-body.ts';

/**
 * The one table of errors: code, status, sentence, remediation. Codes are stable; texts may improve. Its rows stand
 * in `errors/`, a file for each feature.
 */
const definitions = {
  ...requestErrors,
  ...accessErrors,
  ...signInErrors,
  ...experimentErrors,
  ...workerErrors,
  ...configErrors,
  ...taskErrors,
  ...seriesErrors,
  ...jobErrors,
  ...unitErrors,
  ...profileErrors,
  ...datasetErrors,
  ...uploadErrors,
  ...systemErrors,
  ...descriptorErrors,
  ...bioreactorErrors,
  ...pluginErrors,
  ...proxyErrors,
  ...calibrationErrors,
  ...cameraErrors,
  ...alarmErrors,
  ...archiveErrors,
} as const;

export type ErrorCode = keyof typeof definitions;
type ParamsByCode = { [Code in ErrorCode]: Parameters<(typeof definitions)[Code]['text']>[0] };
/** Parameters of the sentences of an error. */
export type ErrorParams<Code extends ErrorCode> = ParamsByCode[Code];

/** The table as the rest of the program sees it. */
export const errorTable: { readonly [Code in ErrorCode]: ErrorDefinition<ParamsByCode[Code]> } = definitions;

/** Codes that any route may return; a route does not declare them. */
export const commonErrors = [
  'malformed_request',
  'foreign_host',
  'foreign_origin',
  'setup_needed',
  'not_signed_in',
  'not_allowed',
  'csrf_token_wrong',
  'pin_entry_ended',
  'not_a_member',
  'outside_token_limits',
  'body_too_large',
  'body_too_slow',
  'too_many_bodies',
  'too_many_requests',
  'deadline_passed',
  'desired_not_applied',
  'internal_error',
  'storage_full',
  'store_busy',
  'change_outcome_unknown',
  'shutting_down',
] as const satisfies readonly ErrorCode[];

/** The header that a refused byte range must have (RFC 9110, 15.5.17). */
const contentRangeOf = (code: ErrorCode, params: object): string | undefined =>
  code === 'range_not_satisfiable' ? `bytes */${String(Reflect.get(params, 'size'))}` : undefined;

/** Default of `Retry-After`, in seconds, for errors that define no time of their own. */
const usualRetryAfterS = 5;

/** Seconds until the next attempt; `known`: the value of the error, or of another node's header. */
export const retryAfterOf = (status: number, known: unknown): number | undefined => {
  if (typeof known === 'number') return known;
  return status === 429 || status === 503 ? usualRetryAfterS : undefined;
};

/** An expected failure: a code of the table with its parameters. The HTTP layer turns it into the error body. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly body: ErrorBody;
  /** After how many seconds to try again: set for every 429 and 503; sent as the header `Retry-After`. */
  readonly retryAfterS: number | undefined;
  /** The header `Content-Range`, for a range of bytes that is not there. */
  readonly contentRange: string | undefined;

  constructor(code: Code, params: ErrorParams<Code>, diagnostics?: readonly unknown[]) {
    const definition = errorTable[code];
    const text = definition.text(params);
    super(text.error);
    this.name = 'ApiError';
    this.code = code;
    this.status = definition.status;
    this.retryAfterS = retryAfterOf(definition.status, Reflect.get(params, 'retryAfterS'));
    this.contentRange = contentRangeOf(code, params);
    this.body = {
      error: text.error,
      cause: text.cause ?? text.error,
      remediation: text.remediation,
      status: definition.status,
      code,
      ...(text.field !== undefined && { field: text.field }),
      ...(diagnostics ? { diagnostics: [...diagnostics] } : {}),
    };
  }
}
