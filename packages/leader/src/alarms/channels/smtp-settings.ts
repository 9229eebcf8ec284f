import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigValueError, leaderSettings, readSetting, type SettingDeclaration } from '@lcs/domain';
import { errnoOf, type IniView, parseIni } from '@lcs/platform';
import { leaderFileName } from '../../core/leader-file.ts';
import { type OpenedFile, secretKeyName, withOpenedSecrets } from '../../core/opened-secrets.ts';
import { DeliveryFailed } from './delivery-failed.ts';

/** The mail server: `[smtp]` of `leader.ini`, which is never served. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** `starttls`: begins unencrypted and must become encrypted. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The sender of the e-mails. */
  readonly from: string;
}

const usualPorts = { tls: 465, starttls: 587, none: 25 } as const;

/** The present content of `leader.ini`. @throws DeliveryFailed when it cannot be read */
export async function leaderFileNow(dataFolder: string): Promise<OpenedFile> {
  try {
    const view = parseIni(await readFile(join(dataFolder, leaderFileName), 'utf8')).document.view();
    return await withOpenedSecrets(view, dataFolder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { view: {}, lost: [] };
    throw new DeliveryFailed('leader.ini cannot be read.');
  }
}

/** A value of the present `leader.ini`. @throws DeliveryFailed for an invalid file or value */
function settingNow<Value>(file: IniView, setting: SettingDeclaration<Value>): Value {
  try {
    return readSetting(file, setting);
  } catch (error) {
    throw error instanceof ConfigValueError ? new DeliveryFailed(error.message) : error;
  }
}

/** Read for each e-mail, so that a change needs no restart. @throws DeliveryFailed that names the missing setting */
export async function smtpSettings(dataFolder: string): Promise<SmtpSettings> {
  const { view: file, lost } = await leaderFileNow(dataFolder);
  const { smtp } = leaderSettings;
  const host = settingNow(file, smtp.host);
  const from = settingNow(file, smtp.from);
  if (!host) throw new DeliveryFailed('E-mail is not set up: leader.ini has no host in [smtp].');
  if (!from) throw new DeliveryFailed('E-mail is not set up: leader.ini has no from in [smtp].');
  if (lost.includes('[smtp] password'))
    throw new DeliveryFailed(
      `[smtp] password of leader.ini was encrypted with another ${secretKeyName}: write the password into the file again.`,
    );
  const security = settingNow(file, smtp.security);
  const port = settingNow(file, smtp.port) ?? usualPorts[security];
  const username = settingNow(file, smtp.username);
  return { host, port, security, from, username, password: settingNow(file, smtp.password) };
}
