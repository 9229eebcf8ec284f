import type { LeaderHealth } from '@lcs/contract';
import { type Clock, type Log, MqttConnection, type Service, type UpgradeHandler } from '@lcs/platform';
import type { MqttPublisher } from '../core/leader-context.ts';
import type { BrokerAccess } from './broker-access.ts';
import type { BrokerSettings } from './broker-settings.ts';
import { type BrokerListener, type BrokerNetwork, EmbeddedBroker } from './embedded-broker.ts';
import type { BrokerCommand } from './mqtt-broker.ts';

/** The leader's interface to the broker, embedded or external. */
export interface LeaderBroker extends MqttPublisher {
  readonly parts: readonly Service[];
  readonly state: LeaderHealth['broker'];
  /** Receives messages of clients, without earlier retained ones. `listener` must not throw. */
  subscribe(filter: string, listener: BrokerListener): void;
  /**
   * Clears the retained messages of this filter, from any publisher, for which `matches` returns true. In the background; no effect on an
   * external broker that is unreachable.
   */
  clearRetained(filter: string, matches: (topic: string) => boolean): void;
  /** WebSocket paths to serve beside HTTP. */
  readonly upgrades: Readonly<Record<string, UpgradeHandler>>;
  /** The address of the broker for clients on this machine; undefined when there is none. That of an embedded broker is known only while it runs. */
  readonly url: string | undefined;
  /** The same for other machines. */
  readonly place: BrokerPlace | undefined;
}

/** Where other machines find the broker. */
interface BrokerPlace {
  /** Undefined: on the machine of this leader. */
  readonly host: string | undefined;
  readonly port: number;
  readonly usesTls: boolean;
  /** The leader itself is the broker, and proves its key there. */
  readonly isOfLeader: boolean;
}

export interface LeaderBrokerOptions {
  readonly settings: BrokerSettings;
  /** The leader's unit name. */
  readonly leader: string;
  /** Who may do what at an embedded broker. */
  readonly access: BrokerAccess;
  /** Receives each command that a client publishes at an embedded broker; it must not throw, and it delays nothing. */
  readonly onCommand?: (command: BrokerCommand) => void;
  /** The leader can be reached by other machines. */
  readonly network?: Omit<BrokerNetwork, 'port'>;
  readonly wire: Clock;
  readonly log: Log;
}

/** WebSocket path of MQTT on the HTTP port. */
const webSocketPath = '/mqtt';

/** The broker of the settings, or a connection to it. */
export function createLeaderBroker({
  settings,
  leader,
  access,
  onCommand,
  network,
  wire,
  log,
}: LeaderBrokerOptions): LeaderBroker {
  if (settings.mode === 'off')
    return {
      parts: [],
      state: 'off',
      upgrades: {},
      url: undefined,
      place: undefined,
      publish: () => {},
      subscribe: () => {},
      clearRetained: () => {},
    };
  if (settings.mode === 'external') {
    const { url, username, password = '' } = settings;
    const connection = new MqttConnection({
      url: () => url,
      // The node may have a unit's role, too, with a separate connection under the unit's name.
      clientId: `reactor-${leader}-leader`,
      will: { topic: `reactor/${leader}/$experiment/monitor/$state`, payload: 'lost' },
      ...(username !== undefined && { account: () => ({ username, password }) }),
      wire,
      log,
      onConnect: () => log.info('Connected to the broker', { url: withoutSecrets(url) }),
    });
    return {
      parts: [connection],
      get state() {
        return connection.isConnected ? 'connected' : 'unreachable';
      },
      upgrades: {},
      url: withoutSecrets(url),
      place: placeOf(new URL(url)),
      publish: connection.publish.bind(connection),
      clearRetained: connection.clearRetained.bind(connection),
      subscribe: (filter, listener) =>
        connection.subscribe([filter], (topic, payload, isRetained) => {
          if (!isRetained) listener(topic, payload);
        }),
    };
  }
  const { host, port, tlsPort, limits } = settings;
  const broker = new EmbeddedBroker({
    host,
    port,
    limits,
    access,
    ...(onCommand && { onCommand }),
    ...(network && { network: { ...network, port: tlsPort } }),
    wire,
    log,
  });
  return {
    parts: [broker],
    state: 'embedded',
    upgrades: { [webSocketPath]: broker.webSocket },
    get url() {
      return `mqtt://${host.includes(':') ? `[${host}]` : host}:${broker.port}`;
    },
    get place() {
      const { tlsPort: port = broker.port } = broker;
      return { host: undefined, port, usesTls: network !== undefined, isOfLeader: true };
    },
    publish: broker.publish.bind(broker),
    clearRetained: broker.clearRetained.bind(broker),
    subscribe: broker.subscribe.bind(broker),
  };
}

const ownNames = ['localhost', '127.0.0.1', '[::1]'];

/** A loopback address in the settings becomes the leader's address for other machines. */
const placeOf = ({ hostname, port, protocol }: URL): BrokerPlace => ({
  host: ownNames.includes(hostname) ? undefined : hostname,
  port: Number(port) || (protocol === 'mqtts:' ? 8883 : 1883),
  usesTls: protocol === 'mqtts:',
  isOfLeader: false,
});

/** A broker's address may carry an account. */
function withoutSecrets(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}
