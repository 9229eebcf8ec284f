import type { IncomingMessage } from 'node:http';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { ApiError } from '@lcs/contract';

/** The client closed the connection before the request was complete. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client closed the connection.');
    this.name = 'ClientDisconnected';
  }
}

/**
 * The bytes of a request's body. Rejects more than `limitBytes` (`body_too_large`) as soon as that is known, from the declared length or
 * while reading, and leaves the rest unread. Throws `ClientDisconnected` when the connection ends first.
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
      reject(new ApiError('body_too_large', { limitBytes }));
      return;
    }
    if (request.destroyed) {
      reject(new ClientDisconnected());
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
      reject(new ClientDisconnected());
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

/**
 * Lets the event loop notice a closed connection. After a pause of the process, the request and the end of its connection are both in the
 * socket but are read in two turns of the loop. `x-deadline-ms` cannot detect this because it counts from the reading of the request.
 * Throws `ClientDisconnected`.
 */
export async function assertConnected({ socket }: IncomingMessage): Promise<void> {
  await turnOfEventLoop();
  await turnOfEventLoop();
  if (socket.destroyed || socket.readableEnded || socket.writableEnded) throw new ClientDisconnected();
}
