import type { IncomingMessage } from 'node:http';
import { ApiError } from '@lcs/contract';

/** The caller went away before the request was complete; there is nobody to answer. */
export class CallerGone extends Error {
  constructor() {
    super('The caller went away.');
    this.name = 'CallerGone';
  }
}

/**
 * The bytes of a request's body. Refuses more than `limitBytes` (`body_too_large`) as soon as that is known, from the
 * announced length or while reading, and leaves the rest unread. Throws `CallerGone` when the connection ends first.
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
      reject(new ApiError('body_too_large', { limitBytes }));
      return;
    }
    if (request.destroyed) {
      reject(new CallerGone());
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = () => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      settle();
      reject(new ApiError('body_too_large', { limitBytes }));
    };
    const onEnd = () => {
      settle();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    };
    const onClose = () => {
      settle();
      reject(new CallerGone());
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
