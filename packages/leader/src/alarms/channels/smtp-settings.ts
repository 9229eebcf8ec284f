import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, type IniView, parseIni } from '@lcs/platform';
import { leaderFileName } from '../../core/leader-file.ts';
import { DeliveryFailed } from './delivery-failed.ts';

/** How letters leave: `[smtp]` of `leader.ini`, which is never served. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** `starttls`: begins in the clear and must become encrypted. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Who the letters are from. */
  readonly from: string;
}

const securities = ['tls', 'starttls', 'none'] as const;
const usualPorts: { readonly [Security in SmtpSettings['security']]: number } = { tls: 465, starttls: 587, none: 25 };

/** What `leader.ini` says now. @throws DeliveryFailed when it cannot be read */
export async function leaderFileNow(dataFolder: string): Promise<IniView> {
  try {
    return parseIni(await readFile(join(dataFolder, leaderFileName), 'utf8')).document.view();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return {};
    throw new DeliveryFailed('leader.ini cannot be read.');
  }
}

/** Read anew for each letter, so that a change needs no restart. @throws DeliveryFailed saying what is missing */
export async function smtpSettings(dataFolder: string): Promise<SmtpSettings> {
  const keys = (await leaderFileNow(dataFolder)).smtp ?? {};
  if (!keys.host) throw new DeliveryFailed('E-mail is not set up: leader.ini has no host in [smtp].');
  if (!keys.from) throw new DeliveryFailed('E-mail is not set up: leader.ini has no from in [smtp].');
  const security = securities.find((known) => known === (keys.security || 'starttls'));
  if (security === undefined) throw new DeliveryFailed(`[smtp] security must be one of ${securities.join(', ')}.`);
  const port = Number(keys.port || usualPorts[security]);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new DeliveryFailed('[smtp] port is no port.');
  const { host, from, username, password } = keys;
  return { host, port, security, from, username: username || undefined, password: password || undefined };
}
