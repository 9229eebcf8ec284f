import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Aedes } from 'aedes';

/** A message as its publisher sent it. */
export interface RecordedMessage {
  /** Id of the client that sent it. */
  readonly publisher: string;
  readonly topic: string;
  readonly payload: string;
  readonly qos: 0 | 1 | 2;
  readonly isRetained: boolean;
}

/** A broker for tests that writes down who published what; subscribers would see neither the publisher nor its retain flag. */
export async function recordingBroker() {
  const messages: RecordedMessage[] = [];
  const aedes = await Aedes.createBroker({
    authorizePublish: (client, { topic, payload, qos, retain }, done) => {
      messages.push({ publisher: client?.id ?? '', topic, payload: payload.toString(), qos, isRetained: retain });
      done(null);
    },
  });
  const server = createServer((socket) => aedes.handle(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `mqtt://127.0.0.1:${port}`,
    messages: messages as readonly RecordedMessage[],
    /** Tells all subscribers, as an outside client would. */
    say: (topic: string, payload: string, qos: 0 | 1 | 2, isRetained = false) =>
      new Promise<void>((resolve, reject) =>
        aedes.publish({ cmd: 'publish', topic, payload, qos, retain: isRetained, dup: false }, (error) =>
          error ? reject(error) : resolve(),
        ),
      ),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await new Promise<void>((resolve) => aedes.close(resolve));
      await closed;
    },
  };
}
