import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Reply } from './reply.ts';

const compress = promisify(gzip);

/**
 * A smaller body fits in a few packets. It may also contain a token, which must not be compressed together with text that the caller chose
 * (BREACH): the bodies with tokens are far below this.
 */
const leastBytes = 16_384;

/** Whether a request takes gzip. */
const takesGzip = (accepted: string | string[] | undefined): boolean =>
  /(^|,)\s*gzip\s*(;\s*q=(1|0\.[0-9]*[1-9])[0-9.]*\s*)?(,|$)/.test(String(accepted ?? ''));

/** Whether the body of a response is worth compressing, and the caller takes it compressed. */
export const isCompressed = (reply: Reply, isJson: boolean, payload: string | Buffer): boolean =>
  isJson &&
  reply.method === 'GET' &&
  payload.length >= leastBytes &&
  reply.headers['content-encoding'] === undefined &&
  takesGzip(reply.request.headers['accept-encoding']);

/** Sends a body compressed, off the main thread: readings of many units are ten times as long as they need to be. */
export async function sendCompressed(reply: Reply, payload: string | Buffer): Promise<void> {
  // The fastest level: higher ones take three times as long for a few percent.
  const body = await compress(payload, { level: constants.Z_BEST_SPEED });
  // Its ETag stays: it names the content, which the conditions of changes compare.
  Object.assign(reply.headers, { 'content-encoding': 'gzip', vary: 'accept-encoding' });
  reply.send(body);
}
