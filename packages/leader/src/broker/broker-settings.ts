import { leaderSettings } from '@lcs/domain';
import { type IniView, isLoopback, StartupError } from '@lcs/platform';
import { leaderFileName, leaderFileView, readLeaderFile, readLeaderSetting } from '../core/leader-file.ts';
import { type BrokerLimits, readBrokerLimits } from './broker-limits.ts';

/** The broker: embedded, external or off. */
export type BrokerSettings =
  | {
      readonly mode: 'embedded';
      /** Loopback address and port of the connections without TLS. Of all ports, 0: any free one. */
      readonly host: string;
      readonly port: number;
      /** Port of the connections with TLS, if the leader is on a network. */
      readonly tlsPort: number;
      readonly limits: BrokerLimits;
    }
  | { readonly mode: 'external'; readonly url: string; readonly username?: string; readonly password?: string }
  | { readonly mode: 'off' };

/** Options of the command line; they take precedence over the file. */
export interface BrokerFlags {
  /** Where the embedded broker listens by default. */
  readonly host: string;
  readonly port?: number;
  readonly tlsPort?: number;
  /** An external broker. */
  readonly url?: string;
}

/** Units use the same broker, and their configuration has no other form for it. */
const schemes = ['mqtt:', 'mqtts:'];

/** @throws StartupError with the fault of the file or the options */
export async function loadBrokerSettings(dataFolder: string, flags: BrokerFlags): Promise<BrokerSettings> {
  return chosen(await readLeaderFile(dataFolder), flags);
}

/** The settings from the text of a `leader.ini` and the flags together. @throws StartupError */
export const brokerSettings = (text: string, flags: BrokerFlags): BrokerSettings => chosen(leaderFileView(text), flags);

function chosen(file: IniView, flags: BrokerFlags): BrokerSettings {
  const { broker } = leaderSettings;
  if (flags.url !== undefined) return external(flags.url, '--broker-url', file);
  const mode = readLeaderSetting(file, broker.mode);
  if (mode === 'off') return { mode };
  if (mode === 'external')
    return external(readLeaderSetting(file, broker.url) ?? '', `[broker] url in ${leaderFileName}`, file);
  const named = readLeaderSetting(file, broker.host) ?? flags.host;
  const host = named === 'localhost' ? '127.0.0.1' : named;
  if (!isLoopback(host))
    throw new StartupError(
      `[broker] host in ${leaderFileName} must be a loopback address, not ${host}: there the broker listens without TLS. On the network it listens with TLS, on the address of --host.`,
    );
  const port = flags.port ?? readLeaderSetting(file, broker.port);
  const tlsPort = flags.tlsPort ?? readLeaderSetting(file, broker.tlsPort);
  return { mode, host, port, tlsPort, limits: readBrokerLimits(file) };
}

function external(url: string, where: string, file: IniView): BrokerSettings {
  if (!URL.canParse(url) || !schemes.includes(new URL(url).protocol)) {
    throw new StartupError(
      `${where} must be the address of a broker, such as mqtt://192.168.1.5:1883 or mqtts://broker.lab:8883, not '${url}'.`,
    );
  }
  const username = readLeaderSetting(file, leaderSettings.broker.username);
  const password = readLeaderSetting(file, leaderSettings.broker.password);
  return { mode: 'external', url, ...(username && { username }), ...(password && { password }) };
}
