import type { IniView } from '@lcs/platform';

/** Where the configuration says the broker is; undefined while nobody has said it. */
export function brokerUrl(config: IniView): string | undefined {
  const { broker_address: addresses = '', broker_port: port = '1883', use_tls: tls = '0' } = config.mqtt ?? {};
  const [address = ''] = addresses.split(';').map((one) => one.trim());
  if (address === '') return undefined;
  const host = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
  return `${['1', 'true', 'yes', 'on'].includes(tls.toLowerCase()) ? 'mqtts' : 'mqtt'}://${host}:${port}`;
}
