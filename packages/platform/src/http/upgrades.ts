import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, type Caller } from '@lcs/contract';
import type { RequestOrigin } from './request-origin.ts';

/** Receives the connection of an upgrade request; `head`: bytes that have already arrived; `caller`: who sent it. */
export type UpgradeHandler = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  caller: Caller,
  origin: RequestOrigin,
) => void;

export interface UpgradesOptions {
  /** By path, exactly as in the request line, without query. */
  readonly handlers: Readonly<Record<string, UpgradeHandler>>;
  /** Who sent the request. Throws an ApiError when it must be rejected. */
  readonly check: (request: IncomingMessage, origin: RequestOrigin) => Caller;
  readonly refuse: (socket: Duplex, error: ApiError) => void;
}

/** Of clients, and of processes of the same leader. */
const protocols: ReadonlySet<string | undefined> = new Set(['websocket', 'lcs-ingest']);

const pathOf = (request: IncomingMessage): string => request.url?.split('?', 1)[0] ?? '';

/** The upgraded connections. Other upgrade requests are ignored, as HTTP allows. */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #sockets = new Set<Duplex>();

  constructor(options: UpgradesOptions) {
    this.#options = options;
  }

  handles(request: IncomingMessage): boolean {
    const isKnown = protocols.has(request.headers.upgrade?.toLowerCase());
    return request.method === 'GET' && isKnown && Object.hasOwn(this.#options.handlers, pathOf(request));
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer, origin: RequestOrigin): void {
    const { handlers, check, refuse } = this.#options;
    let caller: Caller;
    try {
      caller = check(request, origin);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refuse(socket, error);
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    handlers[pathOf(request)]?.(request, socket, head, caller, origin);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
