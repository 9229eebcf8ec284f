import { randomUUID } from 'node:crypto';
import { type Clock, MqttProbe, type MqttProbeOptions, type MqttProbeOutcome, type ProbeMessage } from '@lcs/platform';
import type { BrokerSettings } from '../broker-settings.ts';
import {
  type BrokerFacts,
  largePayloadBytes,
  type RestartFacts,
  type RightsFacts,
  type ServiceFacts,
  type UnitFacts,
} from './broker-facts.ts';
import { reachBroker } from './reach-broker.ts';

type ExternalBroker = Extract<BrokerSettings, { mode: 'external' }>;
type Account = Exclude<MqttProbeOptions['account'], 'none'>;

export interface BrokerCheckOptions {
  readonly settings: BrokerSettings;
  /** The leader's unit name. */
  readonly leader: string;
  /** Accounts of the units that have enrolled. */
  readonly units: readonly { readonly unit: string; readonly account: Account }[];
  readonly wire: Clock;
}

/** Messages of the check. Nobody else subscribes to them, except those who receive everything. */
const topicOf = (unit: string, name: string): string => `reactor/${unit}/$experiment/broker_check/${name}`;
const stateOf = (unit: string): string => `reactor/${unit}/$experiment/monitor/$state`;
const versionTopic = '$SYS/broker/version';
const uptimeTopic = '$SYS/broker/uptime';
/** Messages of which the median time is taken. */
const timedMessages = 5;
/** Messages for a client that is away. */
const queuedPayloads = Array.from({ length: 100 }, (_, index) => String(index));
/** The name of a unit that does not exist, if there is one unit only. */
const absentUnit = 'lcs-check';
/** Some brokers accept no longer client IDs in MQTT 3.1. */
const newClientId = (): string => `lcs-check-${randomUUID().slice(0, 8)}`;

/** A connected probe, or undefined. Connecting as the leader costs a broker the time of a slow hash. */
const connected = (outcome: MqttProbeOutcome): MqttProbe | undefined =>
  outcome.is === 'connected' ? outcome.probe : undefined;

class BrokerCheck {
  readonly #options: BrokerCheckOptions;
  readonly #settings: ExternalBroker;

  constructor(options: BrokerCheckOptions, settings: ExternalBroker) {
    this.#options = options;
    this.#settings = settings;
  }

  get hasAccount(): boolean {
    const { username, url } = this.#settings;
    return username !== undefined || new URL(url).username !== '';
  }

  get #own(): MqttProbeOptions['account'] {
    const { username, password = '' } = this.#settings;
    return username === undefined ? 'none' : { username, password };
  }

  connect(options: Partial<MqttProbeOptions> = {}): Promise<MqttProbeOutcome> {
    const { wire } = this.#options;
    const { url } = this.#settings;
    return MqttProbe.connect({ url, clientId: newClientId(), account: this.#own, protocol: '3.1.1', wire, ...options });
  }

  /** The address without its account, for clients with another one. */
  get #place(): string {
    const url = new URL(this.#settings.url);
    url.username = '';
    url.password = '';
    return url.href;
  }

  async #admits(options: Partial<MqttProbeOptions>): Promise<boolean> {
    const probe = connected(await this.connect({ url: this.#place, ...options }));
    await probe?.close();
    return probe !== undefined;
  }

  async #admitsWrongPassword(): Promise<ServiceFacts['admitsWrongPassword']> {
    if (!this.hasAccount) return 'no account';
    const username = this.#settings.username ?? decodeURIComponent(new URL(this.#settings.url).username);
    return this.#admits({ account: { username, password: randomUUID() } });
  }

  /** @param observer the connection of the leader's account */
  async service(observer: MqttProbe): Promise<ServiceFacts> {
    const { units } = this.#options;
    await observer.subscribe(topicOf('+', '#'));
    const acknowledgementMs = await this.#acknowledgementMs(observer);
    const admitted: UnitFacts[] = [];
    for (const { unit, account } of units) {
      const outcome = await this.connect({ url: this.#place, account });
      if (outcome.is === 'connected') await outcome.probe.close();
      const refusal = outcome.is === 'connected' ? undefined : outcome.cause;
      admitted.push({ unit, refusal, state: await this.#retained(stateOf(unit), observer) });
    }
    return {
      version: await this.#retained(versionTopic, observer),
      admitsStrangers: await this.#admits({ account: 'none' }),
      admitsWrongPassword: await this.#admitsWrongPassword(),
      hasMqtt5: await this.#admits({ url: this.#settings.url, protocol: '5' }),
      keepsRetained: await this.#keepsRetained(observer),
      session: await this.#session(observer),
      passesLargePayload: await this.#passesLargePayload(observer),
      acknowledgementMs,
      units: admitted,
      rights: await this.#rights(
        observer,
        admitted.filter(({ refusal }) => refusal === undefined).map(({ unit }) => unit),
      ),
    };
  }

  async #acknowledgementMs(observer: MqttProbe): Promise<number | undefined> {
    const { leader, wire } = this.#options;
    const times: number[] = [];
    for (let count = 0; count < timedMessages; count += 1) {
      const startedMs = wire.monotonic();
      if (!(await observer.publish(topicOf(leader, 'time'), ''))) return undefined;
      times.push(wire.monotonic() - startedMs);
    }
    return times.sort((a, b) => a - b)[Math.floor(timedMessages / 2)];
  }

  /** A broker may disconnect who sends retained messages, so this has a connection of its own. */
  async #keepsRetained(observer: MqttProbe): Promise<boolean> {
    const topic = topicOf(this.#options.leader, `retained-${randomUUID()}`);
    const writer = connected(await this.connect());
    await writer?.publish(topic, 'retained', { retain: true });
    const kept = await this.#retained(topic, observer);
    await writer?.publish(topic, '', { retain: true });
    await writer?.close();
    return kept !== undefined;
  }

  /** What the broker retains on a topic. */
  async #retained(topic: string, reader: MqttProbe): Promise<string | undefined> {
    const after = topicOf(this.#options.leader, `after-${randomUUID()}`);
    await reader.subscribe(after);
    await reader.subscribe(topic);
    // What is retained precedes a later message.
    await reader.publish(after, '');
    const isIt = (one: ProbeMessage) => one.topic === topic && one.isRetained;
    const first = await reader.message((one) => isIt(one) || one.topic === after);
    return first !== undefined && isIt(first) ? first.payload : undefined;
  }

  /** Whether a session with a message outlives its connection. */
  async #session(observer: MqttProbe): Promise<ServiceFacts['session']> {
    const clientId = newClientId();
    const topic = topicOf(this.#options.leader, `session-${randomUUID()}`);
    await this.#leaveSession(clientId, topic, observer);
    return this.#takeSession(clientId, topic);
  }

  async #leaveSession(clientId: string, topic: string, publisher: MqttProbe): Promise<boolean> {
    const absent = connected(await this.connect({ clientId, isLasting: true }));
    const isSubscribed = await absent?.subscribe(topic);
    await absent?.close();
    const sent = await Promise.all(queuedPayloads.map((payload) => publisher.publish(topic, payload)));
    return isSubscribed === true && sent.every((isAcknowledged) => isAcknowledged);
  }

  /** Continues a session, and ends it. */
  async #takeSession(clientId: string, topic: string): Promise<ServiceFacts['session']> {
    const outcome = await this.connect({ clientId, isLasting: true });
    if (outcome.is !== 'connected') return 'lost';
    const { probe, isSessionPresent } = outcome;
    const last = isSessionPresent ? await probe.message(({ payload }) => payload === queuedPayloads.at(-1)) : undefined;
    const isWhole = queuedPayloads.every((payload) =>
      probe.has((one) => one.topic === topic && one.payload === payload),
    );
    await probe.close();
    // A clean session under the same client ID removes what the broker has kept.
    await connected(await this.connect({ clientId }))?.close();
    if (!isSessionPresent) return 'lost';
    return last !== undefined && isWhole ? 'kept' : 'incomplete';
  }

  /** A broker may disconnect who sends too much, so this has a connection of its own. */
  async #passesLargePayload(observer: MqttProbe): Promise<boolean> {
    const topic = topicOf(this.#options.leader, `large-${randomUUID()}`);
    const writer = connected(await this.connect());
    const isAcknowledged = await writer?.publish(topic, 'x'.repeat(largePayloadBytes));
    const message = isAcknowledged ? await observer.message((one) => one.topic === topic) : undefined;
    await writer?.close();
    return message?.payload.length === largePayloadBytes;
  }

  async #rights(observer: MqttProbe, admitted: readonly string[]): Promise<RightsFacts | undefined> {
    const known = this.#options.units.find(({ unit }) => admitted.includes(unit));
    if (known === undefined) return undefined;
    const { unit, account } = known;
    const other = this.#options.units.find((one) => one.unit !== unit)?.unit ?? absentUnit;
    const [own, foreign] = [topicOf(unit, randomUUID()), topicOf(other, randomUUID())];
    const open = async () => connected(await this.connect({ url: this.#place, account }));

    const first = await open();
    await first?.publish(foreign, 'foreign');
    // Mosquitto may acknowledge the message before it disconnects the client: the next message shows it.
    const stays = (await first?.publish(own, 'own')) === true;
    await first?.close();
    const probe = await open();
    if (!stays) await probe?.publish(own, 'own');
    const publishesOwn = (await observer.message(({ topic }) => topic === own)) !== undefined;
    const publishesForeign = observer.has(({ topic }) => topic === foreign);

    await probe?.subscribe(`reactor/${unit}/#`);
    await probe?.subscribe(`reactor/${other}/#`);
    await observer.publish(`${foreign}/read`, 'foreign');
    await observer.publish(`${own}/read`, 'own');
    const receivesOwn = (await probe?.message(({ topic }) => topic === `${own}/read`)) !== undefined;
    const receivesForeign = probe?.has(({ topic }) => topic === `${foreign}/read`) ?? false;
    await probe?.close();
    return { unit, publishesOwn, receivesOwn, publishesForeign, receivesForeign, disconnects: !stays && publishesOwn };
  }

  get #restart() {
    const { leader } = this.#options;
    return {
      clientId: `lcs-restart-${leader}`,
      session: topicOf(leader, 'restart'),
      retained: topicOf(leader, 'restart-retained'),
    };
  }

  async prepareRestart(observer: MqttProbe): Promise<boolean> {
    const { clientId, session, retained } = this.#restart;
    // Of an earlier check that was not completed.
    await connected(await this.connect({ clientId }))?.close();
    const isKept = await observer.publish(retained, String(this.#options.wire.now()), { retain: true });
    return (await this.#leaveSession(clientId, session, observer)) && isKept;
  }

  async restarted(observer: MqttProbe): Promise<RestartFacts> {
    const { clientId, session, retained } = this.#restart;
    const prepared = await this.#retained(retained, observer);
    const uptime = await this.#retained(uptimeTopic, observer);
    await observer.publish(retained, '', { retain: true });
    const agoS = (this.#options.wire.now() - Number(prepared)) / 1000;
    // Mosquitto publishes '123 seconds'; others nothing at this topic.
    const hasRestarted = prepared === undefined || uptime === undefined || Number.parseInt(uptime, 10) < agoS;
    return { hasRestarted, session: await this.#takeSession(clientId, session), keepsRetained: prepared !== undefined };
  }
}

export type BrokerCheckStage = 'now' | 'before restart' | 'after restart';

/** Tries what leader, units and other clients need of an external broker. Leaves nothing behind, except `before restart`. */
export async function readBrokerFacts(options: BrokerCheckOptions, stage: BrokerCheckStage): Promise<BrokerFacts> {
  const { settings, wire } = options;
  if (settings.mode !== 'external') return { is: settings.mode };
  const reached = await reachBroker(new URL(settings.url), wire);
  if (reached.is !== 'reached') return reached;
  const { encryption } = reached;
  const check = new BrokerCheck(options, settings);
  const outcome = await check.connect();
  if (outcome.is === 'refused')
    return { is: 'refused', encryption, cause: outcome.cause, hasAccount: check.hasAccount };
  if (outcome.is === 'failed') return { is: 'silent', encryption, cause: outcome.cause };
  const { probe } = outcome;
  try {
    switch (stage) {
      case 'now':
        return { is: 'checked', encryption, service: await check.service(probe) };
      case 'before restart':
        return { is: 'prepared', isPrepared: await check.prepareRestart(probe) };
      case 'after restart':
        return { is: 'restarted', restart: await check.restarted(probe) };
    }
  } finally {
    await probe.close();
  }
}
