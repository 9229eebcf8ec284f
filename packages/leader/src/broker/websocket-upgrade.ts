import type { Duplex } from 'node:stream';
import { isFromThisMachine, type UpgradeHandler } from '@lcs/platform';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { ConnectionOrigin } from './broker-access.ts';

export interface WebSocketUpgradeOptions {
  /** Whether a further client must be refused. */
  readonly isFull: () => boolean;
  readonly accept: (connection: Duplex, origin: ConnectionOrigin) => void;
}

/** MQTT has a WebSocket subprotocol (3.1.1, section 6.0); clients of version 3.1 use another name for it. */
const subprotocols = ['mqtt', 'mqttv3.1'];

/** A frame contains a part of a packet or several packets. It is read completely. */
const longestFrameBytes = 2 * 1024 * 1024;
const retryAfterS = 10;

/** Accepts MQTT clients over WebSocket, with the same bytes as over TCP. */
export function webSocketUpgrade({ isFull, accept }: WebSocketUpgradeOptions): UpgradeHandler {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: longestFrameBytes,
    handleProtocols: (offered) => subprotocols.find((name) => offered.has(name)) ?? false,
  });
  return (request, socket, head, caller, { peerKey, isSecure }) => {
    if (isFull()) {
      socket.end(`HTTP/1.1 503 Service Unavailable\r\nretry-after: ${retryAfterS}\r\nconnection: close\r\n\r\n`);
      return;
    }
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const address = request.socket.remoteAddress ?? '';
      const isPlainLoopback = !isSecure && isFromThisMachine(request);
      const stream = createWebSocketStream(webSocket, { writev: inOneFrame });
      accept(stream, { address, caller, peerKey, isPlainLoopback });
    });
  };
}

/** The parts of an MQTT packet are written separately. */
function inOneFrame(
  this: Duplex,
  parts: readonly { readonly chunk: Buffer }[],
  done: (error?: Error | null) => void,
): void {
  this._write(Buffer.concat(parts.map(({ chunk }) => chunk)), 'binary', done);
}
