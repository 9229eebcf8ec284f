import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import { ApiError } from '@lcs/contract';
import type { PassOn, RequestOrigin, UpgradeHandler } from '@lcs/platform';
import type { StoredRead, StoredReads } from './stored-reads.ts';
import type { FindTarget, Target } from './target.ts';

/** Of one connection (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
]);
/** Written here: those of a client would say what they like. */
const ofProxies: ReadonlySet<string> = new Set(['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip']);

export function endToEnd(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)));
}

/**
 * Where the body of a request ends, as this server has read it. Without that, Node sends the body of a GET as it is, and the target would
 * take it for the next request.
 */
function framing({ headers }: IncomingMessage): OutgoingHttpHeaders {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  return headers['content-length'] === undefined ? {} : { 'content-length': headers['content-length'] };
}

const hasBody = (request: IncomingMessage): boolean => Object.keys(framing(request)).length > 0;

/** The headers of a request without those of its body, with the origin of its client. */
export function forwarded({ headers }: IncomingMessage, { address, isSecure }: RequestOrigin): OutgoingHttpHeaders {
  const kept = Object.entries(endToEnd(headers)).filter(([name]) => !ofProxies.has(name) && name !== 'content-length');
  return {
    ...Object.fromEntries(kept),
    // Whatever the client calls a header of the connection.
    host: headers.host,
    'x-forwarded-for': address,
    'x-forwarded-proto': isSecure ? 'https' : 'http',
  };
}

interface Head {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: OutgoingHttpHeaders;
}

export const begin = ({ url, agent }: Target, head: Head) => {
  const { protocol, hostname, port } = new URL(url);
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  return send({ hostname, port, agent, ...head });
};

const forwardedHead = ({ method, url: path }: IncomingMessage, headers: OutgoingHttpHeaders): Head => ({
  method,
  path,
  headers,
});

export function passAnswer(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
  // Events go at once, and not with the next bytes.
  response.flushHeaders();
  // An end before its time closes the connection of the client, which shows it.
  pipeline(answer, response, () => {});
}

export const away = () =>
  new ApiError('control_away', { cause: 'The active process does not answer; a standby may be taking over.' });

/** Sends requests to the target as they are, and its responses back, piece by piece: live streams too. */
export const forwardRequests =
  (target: FindTarget): PassOn =>
  (request, response, origin, fail) => {
    try {
      const headers = { ...forwarded(request, origin), ...framing(request) };
      const upstream = begin(target(), forwardedHead(request, headers));
      upstream.on('response', (answer) => passAnswer(answer, response));
      upstream.on('error', () => {
        if (!response.destroyed) fail(away());
      });
      response.on('close', () => upstream.destroy());
      // Not a pipeline: it would close the connection of the client before it has the error.
      if (hasBody(request)) request.pipe(upstream);
      else upstream.end();
    } catch (error) {
      fail(error);
    }
  };

/** The parts of a read that its answer depends on. */
const ofRead = ['accept', 'accept-encoding', 'if-none-match'] as const;

export interface CheckedReadOptions {
  readonly active: FindTarget;
  readonly store: StoredReads;
}

/** Answers a read from the store, if the active process allows it to its sender; otherwise passes the refusal on. */
export const answerFromStore =
  ({ active, store }: CheckedReadOptions, read: StoredRead): PassOn =>
  (request, response, origin, fail) => {
    const question = new URLSearchParams({ operation: read.operation, ...read.params });
    const onError = () => {
      if (!response.destroyed) fail(away());
    };
    const send = (target: Target, head: Head, onAnswer: (answer: IncomingMessage) => void) => {
      const sent = begin(target, head).on('response', onAnswer).on('error', onError);
      response.on('close', () => sent.destroy());
      sent.end();
    };
    const answerAllowed = () => {
      const { headers } = request;
      const kept = Object.fromEntries(
        ofRead.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
      );
      const head = { method: 'GET', path: read.path, headers: { ...kept, authorization: store.authorization } };
      send(store.target(), head, (answer) => passAnswer(answer, response));
    };
    request.resume();
    try {
      const { 'if-none-match': _tag, range: _range, ...headers } = forwarded(request, origin);
      send(active(), { method: 'GET', path: `/api/access/check?${question}`, headers }, (answer) => {
        if (answer.statusCode !== 200) return passAnswer(answer, response);
        answer.resume();
        answerAllowed();
      });
    } catch (error) {
      fail(error);
    }
  };

const headOf = ({ statusCode, statusMessage }: IncomingMessage, headers: OutgoingHttpHeaders): string => {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${String(one)}`),
  );
  return `${[`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines].join('\r\n')}\r\n\r\n`;
};

const unavailable = 'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';

function connect(one: Duplex, other: Duplex): void {
  one.on('close', () => other.destroy()).pipe(other);
  other.on('close', () => one.destroy()).pipe(one);
}

/** The same for WebSockets. */
export const forwardUpgrades =
  (target: FindTarget): UpgradeHandler =>
  (request, socket, first, _caller, origin) => {
    socket.on('error', () => socket.destroy());
    const refuse = () => socket.end(unavailable);
    const upgrade = { connection: 'Upgrade', upgrade: request.headers.upgrade };
    try {
      const upstream = begin(target(), forwardedHead(request, { ...forwarded(request, origin), ...upgrade }));
      upstream.on('upgrade', (answer, peer, peerHead) => {
        peer.on('error', () => peer.destroy());
        socket.write(headOf(answer, answer.headers));
        if (peerHead.length > 0) socket.write(peerHead);
        if (first.length > 0) peer.write(first);
        upstream.off('error', refuse);
        connect(socket, peer);
      });
      // Refused: with the reason, then the end.
      upstream.on('response', (answer) => {
        socket.write(headOf(answer, { ...endToEnd(answer.headers), connection: 'close' }));
        answer.pipe(socket);
      });
      upstream.on('error', refuse);
      socket.on('close', () => upstream.destroy());
      upstream.end();
    } catch {
      refuse();
    }
  };
