import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';

const channel = 'http.server.request.start';

interface RequestStart {
  readonly server: Server;
}

const isRequestStart = (message: unknown): message is RequestStart =>
  typeof message === 'object' && message !== null && 'server' in message;

const portOf = (server: Server): number | undefined => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
};

/** Disconnects one of the HTTP servers of this process, by its port. */
export class NetworkPlugs implements Disposable {
  readonly #servers = new Map<number, Server>();
  readonly #note = (message: unknown): void => {
    if (!isRequestStart(message)) return;
    const port = portOf(message.server);
    if (port !== undefined) this.#servers.set(port, message.server);
  };

  constructor() {
    subscribe(channel, this.#note);
  }

  /** From now on this address transfers no data. */
  pull(url: string): void {
    const server = this.#servers.get(Number(new URL(url).port));
    if (server === undefined) throw new Error(`There was no request to ${url} yet.`);
    server.on('connection', (socket) => socket.destroy());
    server.closeAllConnections();
  }

  [Symbol.dispose](): void {
    unsubscribe(channel, this.#note);
  }
}
