import type { ConfigDiagnostic } from '@lcs/contract';
import { settingDiagnostics, textFaults } from '@lcs/domain';
import { configError, lostSecrets, onlyWarnings, requirementFaults } from '@lcs/node';
import { type IniView, parseIni } from '@lcs/platform';

/** All syntax faults of a normalised text. Its values are checked only when it can be parsed. */
export function sharedConfigFaults(text: string, leader: string): readonly ConfigDiagnostic[] {
  const faults = textFaults(text);
  return faults.length > 0 ? faults : [...requirementFaults(text, parseIni(text).document.view(), leader)];
}

/**
 * The leader is among the addresses under its name, like the units. Without a prototype, like all sections: a unit may be called
 * `constructor`, and has no address until a person sets one.
 */
function withLeaderAddress(view: IniView): IniView {
  const { leader_hostname = '', leader_address = '' } = view['cluster.topology'] ?? {};
  const addresses = { ...view['cluster.addresses'], [leader_hostname]: leader_address };
  return withoutPrototype({ ...view, 'cluster.addresses': withoutPrototype(addresses) });
}

const withoutPrototype = <Values extends object>(values: Values): Values => Object.assign(Object.create(null), values);

/**
 * The sections and values of a normalised text.
 * @throws ApiError config_invalid, with all faults as diagnostics
 */
export function acceptedSharedConfig(text: string, leader: string): IniView {
  const faults = sharedConfigFaults(text, leader);
  if (faults.length > 0) throw configError(faults);
  return withLeaderAddress(parseIni(text).document.view());
}

/**
 * The rules for a text that a person saves are stricter than for a stored one: its values must be valid, too.
 * @returns warnings
 * @throws ApiError config_invalid
 */
export function validateSharedConfig(text: string, leader: string): readonly ConfigDiagnostic[] {
  const faults = sharedConfigFaults(text, leader);
  const isReadable = textFaults(text).length === 0;
  const found = [...faults, ...lostSecrets(text)];
  return onlyWarnings(isReadable ? [...found, ...settingDiagnostics(text)] : found);
}
