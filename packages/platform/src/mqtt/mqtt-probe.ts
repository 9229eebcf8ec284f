import type { ErrorWithReasonCode, IClientOptions, MqttClient } from 'mqtt';
import type { Clock } from '../clock/clock.ts';
import { endsWithin } from '../clock/with-timeout.ts';
import { addressOptions } from './address-options.ts';

export interface MqttProbeOptions {
  readonly url: string;
  readonly clientId: string;
  /** Instead of the one in the address. `none`: a client without an account. */
  readonly account: { readonly username: string; readonly password: string } | 'none';
  readonly protocol: '3.1.1' | '5';
  /** Keeps the session when the connection ends. */
  readonly isLasting?: boolean;
  readonly wire: Clock;
}

/** `refused`: the broker answered CONNECT with a code. */
export type MqttProbeOutcome =
  | { readonly is: 'connected'; readonly probe: MqttProbe; readonly isSessionPresent: boolean }
  | { readonly is: 'refused'; readonly cause: string }
  | { readonly is: 'failed'; readonly cause: string };

export interface ProbeMessage {
  readonly topic: string;
  readonly payload: string;
  readonly isRetained: boolean;
}

/** Longest time of one step: connecting, an acknowledgement, a message. */
const stepMs = 5_000;
/** Lowest code of a refused subscription. */
const refusedCode = 0x80;
/** Reconnecting is left to whoever probes. */
const never = { reconnectPeriod: 0, connectTimeout: stepMs, resubscribe: false, writeCache: false };

const isRefusal = (error: Error | ErrorWithReasonCode): boolean => 'code' in error && typeof error.code === 'number';

/** One connection that finds out what a broker does. Every step ends within five seconds; none throws because of the broker. */
export class MqttProbe {
  readonly #client: MqttClient;
  readonly #wire: Clock;
  readonly #messages: ProbeMessage[] = [];
  readonly #closed = Promise.withResolvers<void>();
  #arrived = Promise.withResolvers<void>();

  private constructor(client: MqttClient, wire: Clock) {
    this.#client = client;
    this.#wire = wire;
    client.on('message', (topic, payload, { retain }) => {
      this.#messages.push({ topic, payload: payload.toString('utf8'), isRetained: retain });
      this.#arrived.resolve();
      this.#arrived = Promise.withResolvers();
    });
    // A later fault closes the connection, which every step notices.
    client.on('error', () => {});
    client.once('close', () => this.#closed.resolve());
  }

  static async connect(options: MqttProbeOptions): Promise<MqttProbeOutcome> {
    const { url, clientId, account, protocol, isLasting = false, wire } = options;
    const { connect } = await import('mqtt');
    const { username, password, ...place } = addressOptions(new URL(url));
    const inAddress = username === undefined ? {} : { username, password };
    const settings: IClientOptions = {
      ...never,
      ...place,
      ...(account === 'none' ? {} : { ...account, ...inAddress }),
      clientId,
      clean: !isLasting,
      protocolVersion: protocol === '5' ? 5 : 4,
      // In MQTT 5 a session without a time ends with its connection.
      ...(isLasting && protocol === '5' && { properties: { sessionExpiryInterval: 3_600 } }),
    };
    const client = connect(settings);
    const probe = new MqttProbe(client, wire);
    const { promise, resolve } = Promise.withResolvers<MqttProbeOutcome>();
    client.once('connect', ({ sessionPresent }) =>
      resolve({ is: 'connected', probe, isSessionPresent: sessionPresent }),
    );
    client.once('error', (error) => resolve({ is: isRefusal(error) ? 'refused' : 'failed', cause: error.message }));
    client.once('close', () => resolve({ is: 'failed', cause: 'The connection was closed.' }));
    const cancel = wire.after(stepMs, () => resolve({ is: 'failed', cause: `No answer within ${stepMs / 1000} s.` }));
    const outcome = await promise;
    cancel();
    if (outcome.is !== 'connected') await probe.close();
    return outcome;
  }

  get isConnected(): boolean {
    return this.#client.connected;
  }

  /** Whether the broker granted the subscription. */
  async subscribe(filter: string, qos: 0 | 1 = 1): Promise<boolean> {
    const granted = Promise.withResolvers<boolean>();
    this.#client.subscribe(filter, { qos }, (error, answers = []) =>
      granted.resolve(!error && answers.every((answer) => answer.qos < refusedCode)),
    );
    return this.#within(granted.promise, false);
  }

  /** With QoS 1. Whether the broker acknowledged the message; it may still have dropped it. */
  async publish(topic: string, payload: string, { retain = false } = {}): Promise<boolean> {
    const acknowledged = Promise.withResolvers<boolean>();
    this.#client.publish(topic, payload, { qos: 1, retain }, (error) => acknowledged.resolve(!error));
    return this.#within(acknowledged.promise, false);
  }

  /** The first message for which `matches` returns true, among those that have arrived and those of the next five seconds. */
  async message(matches: (message: ProbeMessage) => boolean): Promise<ProbeMessage | undefined> {
    const found = () => this.#messages.find(matches);
    const startedMs = this.#wire.monotonic();
    for (;;) {
      const leftMs = startedMs + stepMs - this.#wire.monotonic();
      if (found() !== undefined || leftMs <= 0 || !this.isConnected) return found();
      await endsWithin(Promise.race([this.#arrived.promise, this.#closed.promise]), this.#wire, leftMs);
    }
  }

  /** Whether a message for which `matches` returns true has arrived. */
  has(matches: (message: ProbeMessage) => boolean): boolean {
    return this.#messages.some(matches);
  }

  async close(): Promise<void> {
    await this.#client.endAsync(!this.#client.connected);
  }

  /** The result, or `otherwise` if the connection ends or the time passes. */
  async #within<Result>(work: Promise<Result>, otherwise: Result): Promise<Result> {
    if (!this.isConnected) return otherwise;
    const late = Promise.withResolvers<Result>();
    const cancel = this.#wire.after(stepMs, () => late.resolve(otherwise));
    const closed = this.#closed.promise.then(() => otherwise);
    try {
      return await Promise.race([work, closed, late.promise]);
    } finally {
      cancel();
    }
  }
}
