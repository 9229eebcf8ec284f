import type { ConfigDiagnostic } from '@lcs/contract';
import { settingDiagnostics, textFaults } from '@lcs/domain';
import { isTooLong, mergeIni, normaliseDashes, parseIni } from '@lcs/platform';
import { clashDiagnostics, configError, lostSecrets, onlyWarnings, tooLong } from './config-faults.ts';
import { requirementFaults } from './config-requirements.ts';

/**
 * Normalises a received text: removes its byte order mark and replaces typographic dashes.
 * @throws ApiError config_invalid for a text that is too long to be parsed
 */
export function normaliseConfigText(text: string): string {
  if (isTooLong(text)) throw configError([tooLong]);
  return normaliseDashes(text.replace(/^\ufeff/, ''));
}

/** The shared configuration below a unit's own file. */
export interface SharedConfig {
  readonly text: string;
  /** Name of the leader. */
  readonly leader: string;
}

/**
 * Validates a unit's own file: it is readable, its values are valid, and the effective configuration still has the addresses of leader and
 * broker (not required while `shared` is undefined). An empty text is valid.
 * @returns warnings
 * @throws ApiError config_invalid
 */
export function validateOwnConfig(text: string, shared: SharedConfig | undefined): readonly ConfigDiagnostic[] {
  const faults = [...textFaults(text), ...lostSecrets(text)];
  if (faults.length > 0) return onlyWarnings(faults);
  const own = parseIni(text).document;
  if (shared === undefined) return onlyWarnings(settingDiagnostics(text));
  const inForce = mergeIni(parseIni(shared.text).document, own);
  const missing = requirementFaults(text, inForce, shared.leader);
  return onlyWarnings([...missing, ...settingDiagnostics(text), ...clashDiagnostics(text, inForce)]);
}
