import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { hourMs } from '@lcs/contract';
import { isCommandTopic, mayPublish, mayReceive, mayUseClientId, type TopicCaller } from '@lcs/domain';
import { type Cancel, type Clock, isLoopback, type Log } from '@lcs/platform';
import {
  type BrokerAccess,
  type BrokerCaller,
  type BrokerIdentity,
  type ConnectionOrigin,
  haveSameRights,
  withoutAccount,
} from './broker-access.ts';
import { BrokerConnection, type ConnectionHandler, lower } from './broker-connection.ts';
import type { BrokerLimits } from './broker-limits.ts';
import { ConnectFailures } from './connect-failures.ts';
import { LimitReports } from './limit-reports.ts';
import { Message } from './message.ts';
import { MessageRates } from './message-rates.ts';
import { PacketTooLong } from './packet-reader.ts';
import {
  answer,
  type ClientPacket,
  type ConnectPacket,
  connack,
  ProtocolFault,
  type PublishPacket,
  pingresp,
  type Qos,
  refusedSubscription,
  suback,
  UnknownVersion,
  type Will,
} from './packets.ts';
import { RetainedMessages } from './retained-messages.ts';
import { type QueuedBytes, Session } from './session.ts';
import { TopicTree } from './topic-tree.ts';

/** A message as received from its publisher. `publisher`: a client ID, undefined for the leader. */
export interface PublishedMessage {
  readonly publisher: string | undefined;
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
  readonly isRetained: boolean;
}

export interface MqttBrokerOptions {
  readonly wire: Clock;
  readonly log: Log;
  readonly limits: BrokerLimits;
  readonly access: BrokerAccess;
  /** Receives each message before any subscriber; it must not throw. */
  readonly onPublish?: (message: PublishedMessage) => void;
  /** Receives each command of a client after its delivery, so that it delays none; it must not throw. */
  readonly onCommand?: (command: BrokerCommand) => void;
}

/** A command that a client has published. */
export interface BrokerCommand {
  readonly identity: BrokerIdentity;
  /** Of the machine at the other end. */
  readonly address: string;
  readonly clientId: string;
  readonly topic: string;
  /** Its first characters. */
  readonly payload: string;
  /** False: it was dropped. At most 100 of these in ten minutes are reported. */
  readonly isAllowed: boolean;
}

/** The deepest topic in use has six levels; further ones are for other clients of the broker. */
const maxTopicLevels = 32;
const maxTopicBytes = 1024;
/** Topics that a broker publishes about itself; this one publishes none. */
const ownTopics = '$SYS/';
const sweepMs = 500;
/** From the connection to its CONNECT packet. */
const connectWithinMs = 10_000;
const reportPeriodMs = 600_000;
/** The most bytes of a payload that the rules look at. */
const longestCommand = 64;
/** Of the payload of a command, for records. */
const recordedBytes = 200;
const mostRefusedCommands = 100;
/** The size of a PUBLISH packet without its payload: topic, number. */
const publishHeadBytes = 2 + maxTopicBytes + 2;

type Open = Extract<BrokerConnection['state'], { is: 'open' }>;

/**
 * An MQTT 3.1.1 broker over accepted streams. Each packet is handled completely before the next one of any client, so that the packets of a
 * client take effect in their order. The state of clients is limited.
 */
export class MqttBroker implements ConnectionHandler {
  readonly #options: MqttBrokerOptions;
  readonly #reports: LimitReports;
  readonly #retained: RetainedMessages;
  readonly #rates: MessageRates;
  readonly #failures: ConnectFailures;
  readonly #connections = new Set<BrokerConnection>();
  /** Sessions by client id, and the connections of those that have one. */
  readonly #sessions = new Map<string, Session>();
  readonly #links = new Map<Session, BrokerConnection>();
  /** Sessions without a connection, with the time of their disconnection, the oldest first. */
  readonly #absent = new Map<Session, number>();
  readonly #subscribers = new TopicTree<Map<Session, Qos>>();
  readonly #queued: QueuedBytes = { total: 0 };
  #subscriptions = 0;
  /** Messages of clients without the permission, in this period of the reports. */
  #dropped = 0;
  #refusedCommands = 0;
  #stopSweeping: Cancel;
  #stopRenewing: Cancel;

  constructor(options: MqttBrokerOptions) {
    this.#options = options;
    this.#reports = new LimitReports(options.log);
    this.#retained = new RetainedMessages(options.limits);
    const { wire, limits } = options;
    this.#rates = new MessageRates({ wire, messagesPerSecond: limits.messagesPerSecond });
    this.#failures = new ConnectFailures(wire);
    this.#stopSweeping = options.wire.every(sweepMs, () => this.#sweep());
    this.#stopRenewing = options.wire.every(reportPeriodMs, () => this.#renewReports());
  }

  /** Whether the limit of connections is reached. */
  get isFull(): boolean {
    return this.#connections.size >= this.#options.limits.connections;
  }

  /** Reports that the client was refused because of a limit. */
  reportFull(): void {
    const { connections } = this.#options.limits;
    this.#reports.report('An MQTT client was refused: too many connections', undefined, { limit: connections });
  }

  accept(stream: Duplex, origin: ConnectionOrigin): void {
    if (this.isFull || this.#isAddressFull(origin)) {
      if (this.isFull) this.reportFull();
      stream.on('error', () => {});
      stream.destroy();
      return;
    }
    const { wire, limits } = this.#options;
    this.#connections.add(
      new BrokerConnection({
        stream,
        origin,
        wire,
        handler: this,
        longestPacketBytes: limits.payloadBytes + publishHeadBytes,
        bufferBytes: limits.clientBufferBytes,
      }),
    );
  }

  /** One other machine must not take the connections of all; those of this machine may be many units. */
  #isAddressFull({ address }: ConnectionOrigin): boolean {
    if (address === '' || isLoopback(address)) return false;
    const { addressConnections: limit } = this.#options.limits;
    if (this.#connectionsWhere(({ origin }) => origin.address === address) < limit) return false;
    this.#reports.report('An MQTT client was refused: too many connections of its address', address, { limit });
    return true;
  }

  #connectionsWhere(isMeant: (connection: BrokerConnection) => boolean): number {
    let count = 0;
    for (const connection of this.#connections) if (isMeant(connection)) count += 1;
    return count;
  }

  /** Closes all connections. Publishes no will, because no client could receive it. */
  close(): void {
    this.#stopSweeping();
    this.#stopRenewing();
    for (const connection of this.#connections) connection.close();
    this.#connections.clear();
  }

  /** Publishes for the leader. Returns false for an invalid topic. */
  publish(topic: string, payload: string, qos: Qos, isRetained: boolean): boolean {
    if (!isUsable(topic)) return false;
    this.#route({ topic, payload: Buffer.from(payload), qos, isRetained }, undefined);
    return true;
  }

  retained(filter: string): Generator<Message | undefined, void, undefined> {
    return this.#retained.find(filter);
  }

  packet(connection: BrokerConnection, packet: ClientPacket): number {
    const { state } = connection;
    if (state.is === 'closed' || state.is === 'refused') return 0;
    if (packet.is === 'connect') {
      if (state.is === 'open') throw new ProtocolFault('a second CONNECT');
      this.#connect(connection, packet);
    } else {
      if (state.is === 'opening') throw new ProtocolFault(`${packet.is} before CONNECT`);
      this.#serve(connection, state, packet);
      if (packet.is === 'publish') return this.#waitAfter(state);
    }
    return 0;
  }

  /** Counts a message of a client; returns the milliseconds for which it must wait. */
  #waitAfter({ session, caller }: Open): number {
    if (session.rights.is === 'unlimited') return 0;
    const waitMs = this.#rates.count(caller.owner);
    if (waitMs > 0) {
      const { messagesPerSecond: limit } = this.#options.limits;
      const message = 'An MQTT client publishes faster than its limit and has to wait';
      this.#reports.report(message, session.clientId, { account: caller.identity.name, limit });
    }
    return waitMs;
  }

  failed(connection: BrokerConnection, error: unknown): void {
    const client = clientOf(connection);
    const { log, limits } = this.#options;
    if (error instanceof PacketTooLong) {
      this.#refuse(connection, 'An MQTT client sent a packet that is too long', { limit: limits.payloadBytes });
    } else if (error instanceof UnknownVersion) {
      this.#end(connection, 'lost', connack('unknownVersion'));
    } else if (error instanceof ProtocolFault) {
      log.debug('An MQTT client broke the protocol and was disconnected', { client, cause: error.message });
      this.#end(connection, 'lost');
    } else {
      log.error('A packet of an MQTT client could not be handled; the client was disconnected', { client, error });
      this.#end(connection, 'lost');
    }
  }

  overflowed(connection: BrokerConnection): void {
    const { clientBufferBytes: limit } = this.#options.limits;
    this.#refuse(connection, 'An MQTT client does not read and was disconnected', { limit });
  }

  lost(connection: BrokerConnection): void {
    this.#end(connection, 'lost');
  }

  #connect(connection: BrokerConnection, packet: ConnectPacket): void {
    const { clientId: named, isClean, keepAliveS, will } = packet;
    if (named === '' && !isClean) {
      this.#end(connection, 'lost', connack('invalidClientId'));
      return;
    }
    if (will !== undefined && !isUsable(will.topic)) throw new ProtocolFault('a will with an unusable topic');
    const clientId = named || `anonymous-${randomUUID()}`;
    const admitted = this.#admit(connection, packet, clientId);
    if (admitted === undefined) return;
    const { caller, rights } = admitted;
    const before = this.#sessions.get(clientId);
    const other = before && this.#links.get(before);
    if (other !== undefined) this.#end(other, 'lost');
    const found = isClean ? undefined : this.#sessions.get(clientId);
    const kept = found !== undefined && isOf(found, caller) && haveSameRights(found.rights, rights) ? found : undefined;
    if (before !== undefined && kept === undefined) this.#discard(before);
    const { clientBufferBytes: windowBytes } = this.#options.limits;
    const session = kept ?? new Session({ clientId, isClean, caller, rights, windowBytes, queued: this.#queued });
    this.#sessions.set(clientId, session);
    this.#absent.delete(session);
    this.#links.set(session, connection);
    connection.state = {
      is: 'open',
      session,
      caller,
      will: will && { ...will, payload: Buffer.from(will.payload) },
      keepAliveS,
    };
    connection.send(connack('accepted', kept !== undefined));
    session.attach(connection, caller);
  }

  /** The caller of a CONNECT, or undefined after a refusal. */
  #admit(
    connection: BrokerConnection,
    { account }: ConnectPacket,
    clientId: string,
  ): { readonly caller: BrokerCaller; readonly rights: TopicCaller } | undefined {
    const { origin } = connection;
    const caller = this.#options.access(origin, account);
    const rights = typeof caller === 'string' ? undefined : caller.rights();
    if (typeof caller === 'string' || rights === undefined) {
      const reason = typeof caller === 'string' ? caller : 'notAllowed';
      this.#reports.report('An MQTT client was refused: it has no valid account', origin.address, { reason });
      this.#refuseLater(connection, connack(reason));
      return undefined;
    }
    if (!mayUseClientId(rights, clientId) || !this.#isFree(clientId, caller)) {
      this.#reports.report('An MQTT client was refused: its client ID is that of another one', clientId);
      this.#end(connection, 'lost', connack('invalidClientId'));
      return undefined;
    }
    if (rights.is !== 'unlimited' && this.#isAccountFull(caller, clientId)) {
      this.#end(connection, 'lost', connack('unavailable'));
      return undefined;
    }
    return { caller, rights };
  }

  /** After several failures of an address, each answer comes later than the one before. */
  #refuseLater(connection: BrokerConnection, answer: Buffer): void {
    const delayMs = this.#failures.delayMs(connection.origin.address);
    if (delayMs === 0) this.#end(connection, 'lost', answer);
    else connection.state = { is: 'refused', answer, untilMs: this.#options.wire.monotonic() + delayMs };
  }

  /** A client that takes over its own session needs no further connection. */
  #isAccountFull({ owner, identity }: BrokerCaller, clientId: string): boolean {
    const { accountConnections: limit } = this.#options.limits;
    const others = this.#connectionsWhere(
      ({ state }) => state.is === 'open' && state.caller.owner === owner && state.session.clientId !== clientId,
    );
    if (others < limit) return false;
    this.#reports.report('An MQTT client was refused: too many connections of its account', identity.name, { limit });
    return true;
  }

  /** Whether a session of this name, if any, is the caller's own, of a client without an account, or of somebody who has lost all rights. */
  #isFree(clientId: string, caller: BrokerCaller): boolean {
    const session = this.#sessions.get(clientId);
    if (session === undefined || isOf(session, caller) || session.caller.owner === withoutAccount) return true;
    return session.caller.rights() === undefined;
  }

  #serve(connection: BrokerConnection, { session, caller }: Open, packet: Exclude<ClientPacket, ConnectPacket>): void {
    switch (packet.is) {
      case 'publish':
        this.#receive(connection, { session, caller }, packet);
        break;
      case 'puback':
      case 'pubcomp':
        session.confirm(packet.id);
        break;
      case 'pubrec':
        session.received(packet.id);
        break;
      case 'pubrel':
        session.finish(packet.id);
        connection.send(answer('pubcomp', packet.id));
        break;
      case 'subscribe': {
        const granted = packet.filters.map(({ filter, qos }) => this.#subscribe(session, filter, qos));
        connection.send(suback(packet.id, granted));
        for (const [index, { filter, qos }] of packet.filters.entries()) {
          if (granted[index] === qos) connection.replay(filter, qos);
        }
        break;
      }
      case 'unsubscribe':
        for (const filter of packet.filters) {
          this.#unsubscribe(session, filter);
          connection.stopReplay(filter);
        }
        connection.send(answer('unsuback', packet.id));
        break;
      case 'pingreq':
        connection.send(pingresp());
        break;
      case 'disconnect':
        this.#end(connection, 'disconnect');
        break;
    }
  }

  #receive(
    connection: BrokerConnection,
    { session, caller }: Pick<Open, 'session' | 'caller'>,
    packet: PublishPacket,
  ): void {
    const { payloadBytes: limit } = this.#options.limits;
    if (packet.payload.length > limit) {
      this.#refuse(connection, 'An MQTT client sent a packet that is too long', { topic: packet.topic, limit });
      return;
    }
    if (!isUsable(packet.topic)) {
      this.#refuse(connection, 'An MQTT client published to a topic that is too long', {
        maxLevels: maxTopicLevels,
        maxBytes: maxTopicBytes,
      });
      return;
    }
    const arrival = packet.qos === 2 ? session.begin(packet.id) : 'new';
    if (arrival === 'too many') {
      this.#refuse(connection, 'An MQTT client left too many messages of quality 2 unfinished', {});
      return;
    }
    if (arrival === 'new') this.#publishFor(caller, packet, { session, address: connection.origin.address });
    if (packet.qos > 0) connection.send(answer(packet.qos === 1 ? 'puback' : 'pubrec', packet.id));
  }

  /** Publishes a message of a client. Without the permission it is dropped: MQTT 3.1.1 has no refusal, only an acknowledgement. */
  #publishFor(
    caller: BrokerCaller,
    message: Will,
    { session: { clientId }, address }: { readonly session: Session; readonly address: string },
  ): void {
    const { topic, payload } = message;
    const rights = caller.rights();
    const isText = rights?.is === 'client' && payload.length <= longestCommand;
    const isAllowed = rights !== undefined && mayPublish(rights, topic, isText ? payload.toString() : undefined);
    if (isAllowed) this.#route(message, clientId);
    else {
      this.#dropped += 1;
      this.#reports.report('A message of an MQTT client was dropped: it may not publish there', clientId, { topic });
    }
    this.#record(caller, message, { clientId, address, isAllowed });
  }

  /** Refused commands could be many. */
  #record(
    { identity }: BrokerCaller,
    { topic, payload }: Will,
    about: Pick<BrokerCommand, 'clientId' | 'address' | 'isAllowed'>,
  ): void {
    const { onCommand } = this.#options;
    if (onCommand === undefined || !isCommandTopic(topic)) return;
    if (!about.isAllowed) this.#refusedCommands += 1;
    if (!about.isAllowed && this.#refusedCommands > mostRefusedCommands) return;
    onCommand({ ...about, identity, topic, payload: payload.subarray(0, recordedBytes).toString() });
  }

  /** Stores a retained message and delivers it, once to each session with the highest quality of its filters. */
  #route({ topic, payload, qos, isRetained }: Will, publisher: string | undefined): void {
    if (topic.startsWith(ownTopics)) return;
    const received = new Message(topic, payload, qos);
    // A stored message must not reference the whole received chunk.
    const message = isRetained || qos > 0 ? received.kept() : received;
    this.#options.onPublish?.({ publisher, topic, payload, qos, isRetained });
    if (isRetained && !this.#retained.keep(message, publisher)) {
      this.#reports.report('A retained MQTT message was delivered and not stored: a limit is reached', publisher, {
        topic,
      });
    }
    const recipients = new Map<Session, Qos>();
    this.#subscribers.visitFilters(topic, (subscribers) => {
      for (const [session, granted] of subscribers) {
        const other = recipients.get(session);
        if (other === undefined || other < granted) recipients.set(session, granted);
      }
    });
    for (const [session, granted] of recipients) {
      session.deliver(message, lower(qos, granted), false);
      this.#expectSpace(session);
    }
  }

  /** Ends a session above its limit: at the next connection its client receives no "session present". */
  #expectSpace(session: Session): void {
    const { clientBufferBytes, queuedBytes } = this.#options.limits;
    if (session.waitingBytes > clientBufferBytes) this.#endOverfull(session);
    while (this.#queued.total > queuedBytes) {
      const [first, ...others] = this.#sessions.values();
      if (first === undefined) return;
      this.#endOverfull(others.reduce((most, other) => (other.keptBytes > most.keptBytes ? other : most), first));
    }
  }

  #endOverfull(session: Session): void {
    const link = this.#links.get(session);
    const message = 'The queue of an MQTT client exceeds its limit; its session was ended';
    this.#reports.report(message, session.clientId, { isConnected: link !== undefined });
    if (link !== undefined) this.#end(link, 'lost');
    this.#discard(session);
  }

  /** Returns the granted quality. */
  #subscribe(session: Session, filter: string, qos: Qos): number {
    if (!mayReceive(session.rights, filter)) {
      const message = 'A subscription of an MQTT client was refused: it may not receive these topics';
      this.#reports.report(message, session.clientId, { filter });
      return refusedSubscription;
    }
    const isNew = !session.subscriptions.has(filter);
    if (isNew && !this.#hasSpaceFor(session, filter)) {
      const { clientSubscriptions, subscriptions } = this.#options.limits;
      const message = 'A subscription of an MQTT client was refused: a limit is reached';
      this.#reports.report(message, session.clientId, { clientSubscriptions, subscriptions });
      return refusedSubscription;
    }
    if (isNew) this.#subscriptions += 1;
    session.subscriptions.set(filter, qos);
    const subscribers = this.#subscribers.get(filter);
    if (subscribers === undefined) this.#subscribers.set(filter, new Map([[session, qos]]));
    else subscribers.set(session, qos);
    return qos;
  }

  #hasSpaceFor(session: Session, filter: string): boolean {
    const { clientSubscriptions, subscriptions } = this.#options.limits;
    return isUsable(filter) && session.subscriptions.size < clientSubscriptions && this.#subscriptions < subscriptions;
  }

  #unsubscribe(session: Session, filter: string): void {
    if (!session.subscriptions.delete(filter)) return;
    this.#subscriptions -= 1;
    const subscribers = this.#subscribers.get(filter);
    subscribers?.delete(session);
    if (subscribers?.size === 0) this.#subscribers.delete(filter);
  }

  #refuse(connection: BrokerConnection, message: string, fields: Readonly<Record<string, unknown>>): void {
    if (connection.state.is === 'closed') return;
    this.#reports.report(message, clientOf(connection), fields);
    this.#end(connection, 'lost');
  }

  /** Closes a connection with its state. The will is published unless the client has disconnected. */
  #end(connection: BrokerConnection, how: 'disconnect' | 'lost', last?: Buffer): void {
    const { state } = connection;
    if (state.is === 'closed') return;
    connection.close(last);
    this.#connections.delete(connection);
    if (state.is !== 'open') return;
    const { session, caller, will } = state;
    session.detach();
    this.#links.delete(session);
    if (session.isClean) this.#discard(session);
    else this.#keepAbsent(session);
    if (how !== 'lost' || will === undefined) return;
    this.#publishFor(caller, will, { session, address: connection.origin.address });
  }

  #keepAbsent(session: Session): void {
    this.#absent.set(session, this.#options.wire.monotonic());
    const [longest] = this.#absent.keys();
    if (this.#absent.size > this.#options.limits.absentSessions && longest !== undefined) this.#discard(longest);
  }

  #discard(session: Session): void {
    for (const filter of [...session.subscriptions.keys()]) this.#unsubscribe(session, filter);
    session.discard();
    this.#absent.delete(session);
    if (this.#sessions.get(session.clientId) === session) this.#sessions.delete(session.clientId);
  }

  #renewReports(): void {
    if (this.#dropped > 0) {
      const message = 'Messages of MQTT clients were dropped: they may not publish there';
      this.#options.log.warn(message, { times: this.#dropped });
    }
    this.#dropped = 0;
    this.#refusedCommands = 0;
    this.#rates.tidy();
    this.#reports.renew();
  }

  #sweep(): void {
    for (const connection of this.#connections) {
      const { state } = connection;
      if (state.is === 'refused' && this.#options.wire.monotonic() >= state.untilMs) {
        this.#end(connection, 'lost', state.answer);
      }
      if (state.is === 'opening' && connection.silentMs > connectWithinMs) this.#end(connection, 'lost');
      // One and a half times the keep-alive (3.1.2.10).
      if (state.is === 'open' && state.keepAliveS > 0 && connection.silentMs > state.keepAliveS * 1500) {
        this.#end(connection, 'lost');
      }
      if (connection.state.is === 'open') this.#endWithoutRights(connection, connection.state);
    }
    const { wire, limits } = this.#options;
    const oldest = wire.monotonic() - limits.absentSessionHours * hourMs;
    for (const [session, since] of this.#absent) {
      if (since < oldest || session.caller.rights() === undefined) this.#discard(session);
    }
  }

  /** After a sign-out, a revocation or another role the client must connect again. */
  #endWithoutRights(connection: BrokerConnection, { session, caller }: Open): void {
    const rights = caller.rights();
    if (rights !== undefined && haveSameRights(rights, session.rights)) return;
    this.#end(connection, 'lost');
    this.#discard(session);
  }
}

const clientOf = ({ state }: BrokerConnection): string | undefined =>
  state.is === 'open' ? state.session.clientId : undefined;

const isOf = (session: Session, { owner }: BrokerCaller): boolean => session.caller.owner === owner;

/** Limit of topics and filters: longer ones are not used in practice, and are expensive. */
const isUsable = (topic: string): boolean =>
  Buffer.byteLength(topic) <= maxTopicBytes && topic.split('/').length <= maxTopicLevels;
