import type { Socket } from 'node:net';

/** A handshake takes some ms of processor time, so that many at a time would delay the leader. */
const handshakesAtOnce = 200;
const ofOneAddress = 20;

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort'>;

const keyOf = ({ remoteAddress, remotePort }: Ends): string => `${remoteAddress} ${remotePort}`;

/** Connections that are still in their TLS handshake: the limits of the broker's clients count only afterwards. */
export class Handshakes {
  readonly #sockets = new Map<string, Socket>();

  /** Closes the connection when there are too many. */
  begin(socket: Socket): void {
    const { remoteAddress } = socket;
    const ofAddress = [...this.#sockets.values()].filter((other) => other.remoteAddress === remoteAddress).length;
    if (ofAddress >= ofOneAddress || this.#sockets.size >= handshakesAtOnce) {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    this.#sockets.set(key, socket);
    socket.once('close', () => this.#sockets.delete(key));
  }

  done(connection: Ends): void {
    this.#sockets.delete(keyOf(connection));
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}
