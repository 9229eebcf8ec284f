import {
  AcceptedTask,
  ApiError,
  callPath,
  type ErrorBody,
  failureReason,
  hasShape,
  isErrorBody,
  type Json,
  type RouteDeclaration,
  waitForTask,
} from '@lcs/contract';
import type { Clock } from '@lcs/platform';

/** Arguments of a call of a route, without the types of the route. */
export interface CallParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, Json>>;
  readonly body?: Json;
}

/** The leader refused a call of a tool; with the error body. */
export class CallRefused extends Error {
  readonly body: ErrorBody;
  constructor(body: ErrorBody) {
    super(body.error);
    this.body = body;
  }
}

/** Calls routes of this leader. */
export interface LeaderCalls {
  /**
   * The response of a route; of a task, its result after the end.
   * @throws CallRefused
   */
  call(route: RouteDeclaration, parts: CallParts, signal: AbortSignal): Promise<Json>;
}

const credentialHeaders = ['authorization', 'cookie', 'x-csrf-token'] as const;

/** The credentials in a request, for calls on behalf of its sender. */
export function credentialsIn(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of credentialHeaders) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

export interface LeaderCallsOptions {
  /** Base URL of this node. */
  readonly ownUrl: () => string;
  readonly wire: Pick<Clock, 'sleep'>;
  /** Credentials of the caller, with every call. */
  readonly credentials: Readonly<Record<string, string>>;
}

/**
 * Calls over HTTP, like any client: so the checks of a route apply to tools, too.
 */
export function leaderCalls({ ownUrl, wire, credentials }: LeaderCallsOptions): LeaderCalls {
  const resultOf = async (accepted: AcceptedTask, signal: AbortSignal): Promise<Json> => {
    const sleep = (delayMs: number, until?: AbortSignal) => wire.sleep(delayMs, until);
    const task = await waitForTask(ownUrl(), accepted, { sleep, signal, headers: credentials });
    if (task.status === 'failed') throw new CallRefused({ ...failureReason(task), status: 500 });
    return jsonOf(task.result);
  };
  return {
    call: async (route, parts, signal) => {
      const response = await fetch(ownUrl() + callPath(route, parts), {
        method: route.method,
        signal,
        headers: { ...credentials, ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
      });
      const body = await bodyOf(response);
      if (!response.ok) {
        throw new CallRefused(isErrorBody(body) ? body : new ApiError('internal_error', { requestId: '' }).body);
      }
      return response.status === 202 && hasShape(AcceptedTask, body) ? resultOf(body, signal) : jsonOf(body);
    },
  };
}

const bodyOf = async (response: Response): Promise<unknown> => {
  const isJson = /[/+]json\b/i.test(response.headers.get('content-type') ?? '');
  return isJson ? response.json() : response.text();
};

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null));
