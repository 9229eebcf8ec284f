import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a port of this machine that can be cut and joined again: the program behind it lives all the time. */
export interface CuttableWay extends AsyncDisposable {
  /** `host:port`. */
  readonly address: string;
  /** Ends all connections and refuses new ones. */
  cut(): void;
  join(): void;
}

export async function cuttableWayTo(port: number): Promise<CuttableWay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // A cut connection ends with an error on one side; the other side is ended with it.
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const server = createServer((incoming) => {
    if (isCut) {
      incoming.destroy();
      return;
    }
    const outgoing = keep(connect(port, '127.0.0.1'));
    keep(incoming)
      .on('close', () => outgoing.destroy())
      .pipe(outgoing)
      .on('close', () => incoming.destroy())
      .pipe(incoming);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    cut: () => {
      isCut = true;
      end();
    },
    join: () => {
      isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      end();
      server.close();
      await once(server, 'close');
    },
  };
}
