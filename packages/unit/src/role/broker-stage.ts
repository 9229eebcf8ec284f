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

/** The broker that the configuration names; undefined: it names none. */
export function brokerUrl(config: IniView): string | undefined {
  const { broker_address: addresses = '', broker_port: port = '1883', use_tls: tls = '0' } = config.mqtt ?? {};
  const [address = ''] = addresses.split(';').map((one) => one.trim());
  if (address === '') return undefined;
  const host = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
  return `${['1', 'true', 'yes', 'on'].includes(tls.toLowerCase()) ? 'mqtts' : 'mqtt'}://${host}:${port}`;
}

/** The connection to the broker, and what the unit publishes there. */
export function brokerStage({ options, config }: UnitRoleInputs & StorageOutputs): Stage<BrokerOutputs> {
  const { unit, wire, log } = options;
  const url = options.mqttUrl ?? (() => brokerUrl(config.view()));
  const mqtt = new MqttConnection({
    url,
    clientId: `reactor-${unit}`,
    will: { topic: `reactor/${unit}/$experiment/monitor/$state`, payload: 'lost' },
    wire,
    log,
  });
  const mirror = new UnitMirror({ unit, mqtt, clock: wire, log });
  const brokerReached = () => ((url() ?? brokerUrl(config.view())) === undefined ? undefined : mqtt.isConnected);
  return { outputs: { mqtt, mirror, brokerReached }, services: [mqtt] };
}
