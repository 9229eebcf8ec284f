import type { ConfigDiagnostic } from '@lcs/contract';
import { isTooLong, mergeIni, normaliseDashes, parseIni } from '@lcs/platform';
import {
  clashDiagnostics,
  lostSecrets,
  onlyWarnings,
  refusedConfig,
  settingDiagnostics,
  textFaults,
  tooLong,
} from './config-faults.ts';
import { requirementFaults } from './config-requirements.ts';

/**
 * What is kept of a text that someone sent: no byte order mark, and no dashes that a word processor made.
 * @throws ApiError config_invalid for one that is so long that nothing else of it is looked at
 */
export function tidyConfigText(text: string): string {
  if (isTooLong(text)) throw refusedConfig([tooLong]);
  return normaliseDashes(text.replace(/^\ufeff/, ''));
}

/** What a unit's own file is laid over. */
export interface SharedBelow {
  readonly text: string;
  /** Name of the leader. */
  readonly leader: string;
}

/**
 * The rules of a unit's own file: it can be read, its values are right, and what is in force with it still says where leader
 * and broker are (`shared` undefined: nobody says it yet). An empty text is right: the unit has nothing of its own.
 * @returns warnings
 * @throws ApiError config_invalid
 */
export function judgeOwnConfig(text: string, shared: SharedBelow | undefined): readonly ConfigDiagnostic[] {
  const faults = [...textFaults(text), ...lostSecrets(text)];
  if (faults.length > 0) return onlyWarnings(faults);
  const own = parseIni(text).document;
  if (shared === undefined) return onlyWarnings(settingDiagnostics(text));
  const inForce = mergeIni(parseIni(shared.text).document, own);
  const missing = requirementFaults(text, inForce, shared.leader);
  return onlyWarnings([...missing, ...settingDiagnostics(text), ...clashDiagnostics(text, inForce)]);
}
