import type { IncomingMessage } from 'node:http';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { CallerGone } from './read-body.ts';

/**
 * Lets the event loop see whether the caller has hung up. A process that stood still finds the request and the end of its
 * connection in the socket at once, but reads them in two turns: the request in one, the end in the next. `x-deadline-ms`
 * cannot tell, for it is counted from when the request was read. Throws `CallerGone`.
 */
export async function expectCaller({ socket }: IncomingMessage): Promise<void> {
  await turnOfEventLoop();
  await turnOfEventLoop();
  if (socket.destroyed || socket.readableEnded || socket.writableEnded) throw new CallerGone();
}
