import { anyCharacter } from '@lcs/contract/testing';
import fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { PacketReader, PacketTooLong } from './packet-reader.ts';
import { type ClientPacket, decode, ProtocolFault, publishHead } from './packets.ts';

/** The packets of these chunks. */
function read(chunks: readonly Buffer[], longest = 1_000_000): ClientPacket[] {
  const reader = new PacketReader(longest);
  return chunks.flatMap((chunk) => {
    reader.add(chunk);
    const packets: ClientPacket[] = [];
    for (let raw = reader.next(); raw !== undefined; raw = reader.next()) packets.push(decode(raw.first, raw.body));
    return packets;
  });
}

const topics = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 40 })
  .filter((text) => !/[+#\0]/.test(text) && text.isWellFormed());
const ids = fc.integer({ min: 1, max: 65_535 });
const publishes = fc.record({
  topic: topics,
  payload: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  qos: fc.constantFrom(0 as const, 1 as const, 2 as const),
  retain: fc.boolean(),
  messageId: ids,
});

describe('packets', () => {
  it('are the same in whatever chunks they come', () => {
    fc.assert(
      fc.property(fc.array(publishes, { maxLength: 8 }), fc.array(fc.nat(2000)), (packets, cuts) => {
        const bytes = Buffer.concat(packets.map((packet) => generate({ cmd: 'publish', dup: false, ...packet })));
        const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
        const chunks = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
        const expected = packets.map(({ topic, payload, qos, retain, messageId }) => ({
          is: 'publish',
          topic,
          qos,
          isRetained: retain,
          id: qos > 0 ? messageId : 0,
          payload: payload.toString('hex'),
        }));
        const got = read(chunks).map((packet) =>
          packet.is === 'publish' ? { ...packet, payload: packet.payload.toString('hex') } : packet,
        );
        expect(got).toEqual(expected);
      }),
    );
  });

  it('of any bytes are packets, a fault or incomplete, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          read([Buffer.from(bytes)], 100);
        } catch (error) {
          expect(error instanceof ProtocolFault || error instanceof PacketTooLong).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('are written as another library writes them', () => {
    fc.assert(
      fc.property(publishes, fc.boolean(), ({ topic, payload, qos, retain, messageId }, dup) => {
        const packet: Packet = { cmd: 'publish', topic, payload, qos, retain, dup, ...(qos > 0 && { messageId }) };
        const options = {
          topic,
          payloadBytes: payload.length,
          qos,
          id: messageId,
          isRetained: retain,
          isDuplicate: dup,
        };
        expect(Buffer.concat([publishHead(options), payload])).toEqual(generate(packet));
      }),
    );
  });

  it('that only a broker sends are faults', () => {
    for (const first of [0x20, 0x90, 0xb0, 0xd0]) expect(() => decode(first, Buffer.alloc(2))).toThrow(ProtocolFault);
  });

  it('that claim to be too long are refused before they have come', () => {
    expect(() => read([Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])])).toThrow(PacketTooLong);
  });

  it('that come byte by byte are not copied for each byte', () => {
    const bytes = generate({
      cmd: 'publish',
      topic: 'a',
      payload: Buffer.alloc(200_000),
      qos: 0,
      retain: false,
      dup: false,
    });
    const reader = new PacketReader(1_000_000);
    let found = 0;
    // Copied for each byte, this would move 20 GB.
    for (let index = 0; index < bytes.length; index += 1) {
      reader.add(bytes.subarray(index, index + 1));
      if (reader.next() !== undefined) found += 1;
    }
    expect(found).toBe(1);
  });
});
