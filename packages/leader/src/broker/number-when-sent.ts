import type { Aedes } from 'aedes';

type Emit = (message: { brokerCounter: number }, done: unknown) => unknown;

const hasEmit = (value: unknown): value is { emit: Emit } =>
  typeof value === 'object' && value !== null && 'emit' in value && typeof value.emit === 'function';

/**
 * Numbers the messages of a broker when they are sent. The broker numbers them when they come, sends those that are retained
 * (or have a quality of service) a little later than others, and takes whatever bears a lower number than the client's last
 * message for one that the client has had under another subscription: it would be lost.
 */
export function numberWhenSent(aedes: Aedes): void {
  const emitter: unknown = Reflect.get(aedes, 'mq');
  if (!hasEmit(emitter)) throw new Error('The MQTT broker has no emitter: its library is another one than expected.');
  const emit = emitter.emit.bind(emitter);
  let sent = 0;
  emitter.emit = (message, done) => {
    sent += 1;
    message.brokerCounter = sent;
    return emit(message, done);
  };
}
