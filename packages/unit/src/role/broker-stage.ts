import { mqttSettings, settingOrDefault } from '@lcs/domain';
import { type IniView, MqttConnection, type Stage } from '@lcs/platform';
import { UnitMirror } from '../mirror/unit-mirror.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface BrokerOutputs {
  readonly mqtt: MqttConnection;
  readonly mirror: UnitMirror;
  /** Whether the broker is connected; undefined: none is configured. */
  readonly brokerReached: () => boolean | undefined;
}

/** A broker, and whether it is the leader of the unit. */
export interface BrokerAddress {
  readonly url: string;
  /** The leader's key counts there, and no certificate of an authority. */
  readonly isLeader: boolean;
}

const inUrl = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);

/**
 * The broker that the configuration names; undefined: it names none. If it is the leader itself, it is where the unit reaches its leader,
 * whatever address the leader believes to have.
 */
export function brokerAddress(config: IniView, leader: URL): BrokerAddress | undefined {
  const addresses = settingOrDefault(config, mqttSettings.brokerAddress) ?? '';
  const [address = ''] = addresses.split(';').map((one) => one.trim());
  if (address === '') return undefined;
  const port = settingOrDefault(config, mqttSettings.brokerPort);
  if (!settingOrDefault(config, mqttSettings.useTls))
    return { url: `mqtt://${inUrl(address)}:${port}`, isLeader: false };
  const isLeader = settingOrDefault(config, mqttSettings.isLeader);
  return { url: `mqtts://${isLeader ? leader.hostname : inUrl(address)}:${port}`, isLeader };
}

type Inputs = UnitRoleInputs & StorageOutputs;

/** The connection to the broker, and the messages of the unit. */
export function brokerStage({ options, certificate, config, link }: Inputs): Stage<BrokerOutputs> {
  const { unit, wire, log, mqttUrl } = options;
  const configured = (): BrokerAddress | undefined => brokerAddress(config.view(), options.leaderUrl());
  const leaderKey = (): string | undefined => link.current?.leader_key;
  const url = mqttUrl ?? (() => (configured()?.isLeader && leaderKey() === undefined ? undefined : configured()?.url));
  const peer = async () => ({ peerKey: leaderKey(), machine: await certificate() });
  const mqtt = new MqttConnection({
    url,
    clientId: `reactor-${unit}`,
    account: () => link.current?.credentials?.mqtt,
    will: { topic: `reactor/${unit}/$experiment/monitor/$state`, payload: 'lost' },
    peer: () => (mqttUrl === undefined && configured()?.isLeader ? peer() : undefined),
    wire,
    log,
  });
  const mirror = new UnitMirror({ unit, mqtt, clock: wire, log });
  const brokerReached = () => ((url() ?? configured()) === undefined ? undefined : mqtt.isConnected);
  return { outputs: { mqtt, mirror, brokerReached }, services: [mqtt] };
}
