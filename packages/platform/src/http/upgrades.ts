import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@lcs/contract';

/** Takes over the connection of a WebSocket request; `head`: bytes that came already. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface UpgradesOptions {
  /** By path, exactly as in the request line, without query. */
  readonly handlers: Readonly<Record<string, UpgradeHandler>>;
  /** Throws ApiError when the request may not be served. */
  readonly check: (request: IncomingMessage) => void;
  readonly refuse: (socket: Duplex, error: ApiError) => void;
}

const pathOf = (request: IncomingMessage): string => request.url?.split('?', 1)[0] ?? '';

/** The connections that became something else than HTTP. All other wishes for an upgrade are left unheard, as HTTP allows. */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #sockets = new Set<Duplex>();

  constructor(options: UpgradesOptions) {
    this.#options = options;
  }

  wants(request: IncomingMessage): boolean {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    return request.method === 'GET' && isWebSocket && Object.hasOwn(this.#options.handlers, pathOf(request));
  }

  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { handlers, check, refuse } = this.#options;
    try {
      check(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refuse(socket, error);
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    handlers[pathOf(request)]?.(request, socket, head);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
