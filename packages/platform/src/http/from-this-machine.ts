import type { IncomingMessage } from 'node:http';
import { isLoopback } from './listen-address.ts';

type ReceivedRequest = Pick<IncomingMessage, 'headers'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
};

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

/** Both ends of the connection are on this machine, and no proxy is in between. */
export const isFromThisMachine = ({ socket, headers }: ReceivedRequest): boolean =>
  isLoopback(socket.remoteAddress ?? '') && !forwardingHeaders.some((name) => headers[name] !== undefined);
