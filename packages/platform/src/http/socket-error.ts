import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '@lcs/contract';
import type { Clock } from '../clock/clock.ts';
import { securityHeaders } from './reply.ts';

/** Time for the client to read the response before the connection is closed. */
const lingerMs = 500;

const causes: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request line and the headers together are too long.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request was not complete within the time limit.',
  HPE_INVALID_METHOD: 'The method is not an HTTP method.',
  HPE_INVALID_VERSION: 'The HTTP version is not supported.',
  HPE_INVALID_EOF_STATE: 'The connection ended in the middle of the request.',
};

/** Why a socket's bytes are not a request; the parser's own message when there is no better sentence. */
function causeOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
  return causes[code] ?? `Not HTTP/1.1: ${reason}.`;
}

/** A response that has begun must not be followed by another one. */
function hasBegunToAnswer(socket: Duplex): boolean {
  const current: unknown = Reflect.get(socket, '_httpMessage');
  return current instanceof ServerResponse && current.headersSent;
}

/** Browsers open connections in advance: what such a one answers unasked they take for the response to their next request. */
const isUnused = (socket: Duplex): boolean => socket instanceof Socket && socket.bytesRead === 0;

/** Writes an error response to a socket without a request, and closes the connection. */
export function refuseSocket(socket: Duplex, error: ApiError, requestId: string, clock: Clock): void {
  const body = JSON.stringify(error.body);
  const head = [
    `HTTP/1.1 ${error.status} ${error.status === 400 ? 'Bad Request' : 'Error'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  const cancel = clock.after(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Handles a connection whose bytes are not a request. */
export function respondToUnreadable(error: Error, socket: Duplex, requestId: string, clock: Clock): void {
  if (socket.destroyed || socket.writableEnded) return;
  if (!socket.writable || hasBegunToAnswer(socket) || isUnused(socket)) {
    socket.destroy();
    return;
  }
  refuseSocket(socket, new ApiError('malformed_request', { cause: causeOf(error) }), requestId, clock);
}
