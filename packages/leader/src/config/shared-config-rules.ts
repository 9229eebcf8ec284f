import type { ConfigDiagnostic } from '@lcs/contract';
import { configError, lostSecrets, onlyWarnings, requirementFaults, settingDiagnostics, textFaults } from '@lcs/node';
import { type IniView, parseIni } from '@lcs/platform';

/** Everything that makes a tidied text unusable. What it says is only judged once it can be read. */
export function sharedConfigFaults(text: string, leader: string): readonly ConfigDiagnostic[] {
  const faults = textFaults(text);
  return faults.length > 0 ? faults : [...requirementFaults(text, parseIni(text).document.view(), leader)];
}

/**
 * The leader stands among the addresses under its name, as the units do. Without a prototype, as all sections are: a unit may
 * be called `constructor`, and has no address until someone gives it one.
 */
function withLeaderAddress(view: IniView): IniView {
  const { leader_hostname = '', leader_address = '' } = view['cluster.topology'] ?? {};
  const addresses = { ...view['cluster.addresses'], [leader_hostname]: leader_address };
  return withoutPrototype({ ...view, 'cluster.addresses': withoutPrototype(addresses) });
}

const withoutPrototype = <Values extends object>(values: Values): Values => Object.assign(Object.create(null), values);

/**
 * What a tidied text says, section by section.
 * @throws ApiError config_invalid, with all faults as diagnostics
 */
export function acceptedSharedConfig(text: string, leader: string): IniView {
  const faults = sharedConfigFaults(text, leader);
  if (faults.length > 0) throw configError(faults);
  return withLeaderAddress(parseIni(text).document.view());
}

/**
 * The rules for a text that somebody saves are stricter than for one that is there: its values must be right too.
 * @returns warnings
 * @throws ApiError config_invalid
 */
export function validateSharedConfig(text: string, leader: string): readonly ConfigDiagnostic[] {
  const faults = sharedConfigFaults(text, leader);
  const isReadable = textFaults(text).length === 0;
  const found = [...faults, ...lostSecrets(text)];
  return onlyWarnings(isReadable ? [...found, ...settingDiagnostics(text)] : found);
}
