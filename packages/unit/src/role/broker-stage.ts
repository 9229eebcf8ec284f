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

/** The broker that the configuration names; undefined: it names none. */
export function brokerUrl(config: IniView): string | undefined {
  const addresses = settingOrDefault(config, mqttSettings.brokerAddress) ?? '';
  const [address = ''] = addresses.split(';').map((one) => one.trim());
  if (address === '') return undefined;
  const scheme = settingOrDefault(config, mqttSettings.useTls) ? 'mqtts' : 'mqtt';
  const host = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
  return `${scheme}://${host}:${settingOrDefault(config, mqttSettings.brokerPort)}`;
}

/** The connection to the broker, and the messages of the unit. */
export function brokerStage({ options, config, link }: UnitRoleInputs & StorageOutputs): Stage<BrokerOutputs> {
  const { unit, wire, log } = options;
  const url = options.mqttUrl ?? (() => brokerUrl(config.view()));
  const mqtt = new MqttConnection({
    url,
    clientId: `reactor-${unit}`,
    account: () => link.current?.credentials?.mqtt,
    will: { topic: `reactor/${unit}/$experiment/monitor/$state`, payload: 'lost' },
    wire,
    log,
  });
  const mirror = new UnitMirror({ unit, mqtt, clock: wire, log });
  const brokerReached = () => ((url() ?? brokerUrl(config.view())) === undefined ? undefined : mqtt.isConnected);
  return { outputs: { mqtt, mirror, brokerReached }, services: [mqtt] };
}
