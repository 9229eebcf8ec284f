import type { Duplex } from 'node:stream';
import type { UpgradeHandler } from '@lcs/platform';
import { createWebSocketStream, WebSocketServer } from 'ws';

export interface WebSocketDoorOptions {
  /** What may wait for one client, in bytes. */
  readonly bufferBytes: number;
  readonly accept: (connection: Duplex) => void;
}

/** MQTT names its WebSocket subprotocol (3.1.1, section 6.0); clients of version 3.1 have another name for the same. */
const subprotocols = ['mqtt', 'mqttv3.1'];

/** One frame carries a packet or a part of one; a packet is never longer than this either. */
const longestFrameBytes = 8 * 1024 * 1024;

/** Lets MQTT clients come in by WebSocket: what they send is the same as over TCP. */
export function webSocketDoor({ bufferBytes, accept }: WebSocketDoorOptions): UpgradeHandler {
  const door = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: longestFrameBytes,
    handleProtocols: (offered) => subprotocols.find((name) => offered.has(name)) ?? false,
  });
  return (request, socket, head) => {
    door.handleUpgrade(request, socket, head, (webSocket) => {
      accept(
        createWebSocketStream(webSocket, {
          readableHighWaterMark: bufferBytes,
          writableHighWaterMark: bufferBytes,
          writev: inOneFrame,
        }),
      );
    });
  };
}

/** The parts of an MQTT packet are written one by one. */
function inOneFrame(
  this: Duplex,
  parts: readonly { readonly chunk: Buffer }[],
  done: (error?: Error | null) => void,
): void {
  this._write(Buffer.concat(parts.map(({ chunk }) => chunk)), 'binary', done);
}
