/** Packets of MQTT 3.1.1, written by hand: a client of a thousand units must cost little. */

const connect = 0x10;
const publishOnce = 0x30;
const level = 4;
const cleanSession = 0x02;
const keepAliveS = 60;

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Seven bits in each byte, the lowest first. */
function lengthOf(count: number): number[] {
  const more = Math.floor(count / 128);
  return more === 0 ? [count] : [(count % 128) | 128, ...lengthOf(more)];
}

const packet = (kind: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([kind, ...lengthOf(content.length)]), content]);

/** Without an account. */
export const connectPacket = (clientId: string): Buffer =>
  packet(connect, Buffer.concat([text('MQTT'), Buffer.from([level, cleanSession, 0, keepAliveS]), text(clientId)]));

/** QoS 0, not retained. */
export const publishPacket = (topic: string, payload: string): Buffer =>
  packet(publishOnce, Buffer.concat([text(topic), Buffer.from(payload)]));
