import type { Clock } from '../clock/clock.ts';
import type { Reply } from './reply.ts';

/** How much of a rejected body is still read, and for how long, so that the client receives the response. */
const lingerBytes = 16 * 1024 * 1024;
const lingerMs = 1000;

/**
 * Responds to a request whose body is not read, and closes the connection. Closing at once would reset the connection while the client is
 * still sending, before it has read the response. So the response is sent first and the rest of the body is discarded for a while.
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
