import type { Clock } from '../clock/clock.ts';
import type { Reply } from './reply.ts';

/** How much of a refused body, and for how long, is still taken in so that the caller gets to read why. */
const lingerBytes = 16 * 1024 * 1024;
const lingerMs = 1000;

/**
 * Answers a request whose body will not be read, and closes the connection. Closing at once would reset it under a
 * caller that is still sending, before the answer is read; so the answer goes out whole and the rest of the body is
 * thrown away for a while.
 */
export function refuseUnread(reply: Reply, text: string | Buffer, clock: Clock): void {
  const { request, response } = reply;
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const end = () => {
    cancel();
    request.off('data', onData).off('end', end);
    response.end();
  };
  let left = lingerBytes;
  const onData = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) end();
  };
  reply.begin({ connection: 'close', 'content-length': body.length });
  if (reply.method !== 'HEAD') response.write(body);
  const cancel = clock.after(lingerMs, end);
  response.once('close', cancel);
  request.on('data', onData).on('end', end).resume();
}
