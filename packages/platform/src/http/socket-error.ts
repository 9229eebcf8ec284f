import { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@lcs/contract';
import type { Clock } from '../clock/clock.ts';

/** Time for the caller to read the answer before the connection is cut. */
const lingerMs = 500;

const causes: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request line and the headers together are too long.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request was not complete in time.',
  HPE_INVALID_METHOD: 'The method is not one of HTTP.',
  HPE_INVALID_VERSION: 'The HTTP version is not supported.',
  HPE_INVALID_EOF_STATE: 'The connection ended in the middle of the request.',
};

/** Why a socket's bytes are no request; the parser's own words when there is no better sentence. */
function causeOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
  return causes[code] ?? `Not HTTP/1.1: ${reason}.`;
}

/** An answer that is already on its way must not get another one in its middle. */
function hasBegunToAnswer(socket: Duplex): boolean {
  const current: unknown = Reflect.get(socket, '_httpMessage');
  return current instanceof ServerResponse && current.headersSent;
}

/** Writes an error answer where there is no request to answer, and closes the connection. */
export function refuseSocket(socket: Duplex, error: ApiError, requestId: string, clock: Clock): void {
  const body = JSON.stringify(error.body);
  const head = [
    `HTTP/1.1 ${error.status} ${error.status === 400 ? 'Bad Request' : 'Error'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  const cancel = clock.after(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** What becomes of a connection whose bytes could not be read as a request. */
export function answerUnreadable(error: Error, socket: Duplex, requestId: string, clock: Clock): void {
  if (socket.destroyed || socket.writableEnded) return;
  if (!socket.writable || hasBegunToAnswer(socket)) {
    socket.destroy();
    return;
  }
  refuseSocket(socket, new ApiError('malformed_request', { cause: causeOf(error) }), requestId, clock);
}
