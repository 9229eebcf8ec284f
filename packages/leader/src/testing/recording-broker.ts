import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { realClock, silentLog } from '@lcs/platform';
import { openAccess } from '../broker/broker-access.ts';
import { defaultBrokerLimits } from '../broker/broker-limits.ts';
import { MqttBroker } from '../broker/mqtt-broker.ts';

/** A message as its publisher sent it. */
export interface RecordedMessage {
  /** Id of the client that sent it. */
  readonly publisher: string;
  readonly topic: string;
  readonly payload: string;
  readonly qos: 0 | 1 | 2;
  readonly isRetained: boolean;
}

/** A broker for tests that records who published what; subscribers would see neither the publisher nor its retain flag. */
export async function recordingBroker() {
  const messages: RecordedMessage[] = [];
  const broker = new MqttBroker({
    wire: realClock(),
    log: silentLog(),
    limits: defaultBrokerLimits,
    access: openAccess,
    onPublish: ({ publisher = '', topic, payload, qos, isRetained }) =>
      messages.push({ publisher, topic, payload: payload.toString(), qos, isRetained }),
  });
  const server = createServer((socket) => broker.accept(socket, { address: '127.0.0.1' })).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `mqtt://127.0.0.1:${port}`,
    messages: messages as readonly RecordedMessage[],
    /** Publishes to all subscribers, as an outside client would. */
    say: async (topic: string, payload: string, qos: 0 | 1 | 2, isRetained = false) => {
      if (!broker.publish(topic, payload, qos, isRetained)) throw new Error(`The topic ${topic} cannot be used.`);
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      broker.close();
      await closed;
    },
  };
}
