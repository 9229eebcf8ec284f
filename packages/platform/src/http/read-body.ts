import type { IncomingMessage } from 'node:http';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { ApiError } from '@lcs/contract';
import type { Clock } from '../clock/clock.ts';
import { type BodyBudget, smallBodyBytes } from './body-budget.ts';

/** The client closed the connection before the request was complete. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client closed the connection.');
    this.name = 'ClientDisconnected';
  }
}

/** Limits of a body. */
export interface BodyLimits {
  readonly bytes: number;
  /** Time from the headers to the last byte. */
  readonly ms: number;
  readonly clock: Pick<Clock, 'after'>;
  /** Memory of all bodies under way. */
  readonly budget: BodyBudget;
}

/** A body that was read. It counts as memory in use until `release` is called. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly release: () => void;
}

/**
 * Reads the body of a request. Rejects more than the limit (`body_too_large`) as soon as that is known, from the declared length or
 * while reading, and leaves the rest unread; the same for `body_too_slow` and `too_many_bodies`. Throws `ClientDisconnected` when the
 * connection ends first.
 */
export function readBody(
  request: IncomingMessage,
  { bytes: limitBytes, ms, clock, budget }: BodyLimits,
): Promise<ReadBody> {
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
    let heldBytes = 0;
    const release = () => {
      budget.release(heldBytes);
      heldBytes = 0;
    };
    const settle = () => {
      cancel();
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    const refuse = (error: unknown) => {
      request.pause();
      settle();
      release();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) {
        refuse(new ApiError('body_too_large', { limitBytes }));
        return;
      }
      try {
        const heldNow = size > smallBodyBytes ? size - heldBytes : 0;
        budget.hold(heldNow);
        heldBytes += heldNow;
      } catch (error) {
        refuse(error);
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = () => {
      settle();
      resolve({ bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size), release });
    };
    const onClose = () => {
      settle();
      release();
      reject(new ClientDisconnected());
    };
    const cancel = clock.after(ms, () => refuse(new ApiError('body_too_slow', { limitS: Math.ceil(ms / 1000) })));
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
