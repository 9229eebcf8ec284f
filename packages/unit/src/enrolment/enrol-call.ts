import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Enrolled, type Enrolment, enrolmentRoutes, isErrorBody } from '@lcs/contract';
import { Value } from 'typebox/value';

/** The leader rejected the enrolment. */
export class EnrolmentRefused extends Error {
  readonly status: number;
  /** A code of the error table, or `invalid_answer`. */
  readonly code: string;
  /** The pause before a retry, if the leader has set one. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'EnrolmentRefused';
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Sends one enrolment request. Rejects with EnrolmentRefused, or with the error of the connection. */
export type EnrolCall = (enrolment: Enrolment, token: string | undefined, signal: AbortSignal) => Promise<Enrolled>;

const { method, path } = enrolmentRoutes.enrolUnit;

/** The call over HTTP. `leader` is read at each call. It uses a new connection each time, because calls are rare. */
export const httpEnrolCall =
  (leader: () => URL): EnrolCall =>
  async (enrolment, token, signal) => {
    const { status, body, retryAfter } = await post(new URL(path, leader()), JSON.stringify(enrolment), token, signal);
    const value = parsed(body);
    if (status === 200 && Value.Check(Enrolled, value)) return value;
    const seconds = Number(retryAfter);
    const retryAfterMs = retryAfter !== undefined && Number.isFinite(seconds) ? seconds * 1_000 : undefined;
    if (isErrorBody(value))
      throw new EnrolmentRefused(status, value.code, `${value.error} ${value.cause}`, retryAfterMs);
    throw new EnrolmentRefused(
      status,
      'invalid_answer',
      `The response (status ${status}) is not from a leader.`,
      retryAfterMs,
    );
  };

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function post(url: URL, content: string, token: string | undefined, signal: AbortSignal) {
  return new Promise<{ status: number; body: string; retryAfter: string | undefined }>((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent: false,
      signal,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(content),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((body) => resolve({ status, body, retryAfter: headers['retry-after'] }), reject);
    });
    outgoing.end(content);
  });
}
