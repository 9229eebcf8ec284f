import type { IncomingMessage } from 'node:http';

const acceptable = /^[A-Za-z0-9_-]{1,64}$/;

/** Assigns each request an ID: the client's own if it is a plain word, otherwise `prefix` and a running number. */
export function requestIds(prefix: string): (request: Pick<IncomingMessage, 'headers'>) => string {
  let count = 0;
  return ({ headers }) => {
    const sent = headers['x-request-id'];
    if (typeof sent === 'string' && acceptable.test(sent)) return sent;
    count += 1;
    return `${prefix}-${count}`;
  };
}
