import type { DesiredReport, DesiredState } from '@lcs/contract';
import { type Clock, parseIni } from '@lcs/platform';
import { type ConfigFile, sha256Of, type UnitConfig } from '../config/unit-config.ts';
import { isSame } from './desired-content.ts';
import type { EffectiveDocuments } from './desired-store.ts';

export type DesiredPart = DesiredReport['parts']['model'];

/** The outcome of one part of a document, and the effective documents after it. */
export interface PartOutcome {
  readonly part: DesiredPart;
  readonly effective: EffectiveDocuments;
  /** It failed for a temporary reason. */
  readonly isTemporary?: true;
}

/** The guard responds within milliseconds; a document must not wait for a hanging guard. */
const guardLimitMs = 1_000;

const failed = (code: string, message: string): DesiredPart => ({ state: 'failed', error: { code, message } });
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Gives the guard the limits of a model, unless it `has` them already. */
export async function applyModel(
  required: DesiredState['model'],
  effective: EffectiveDocuments,
  { has, set, wire }: { has: boolean; set: (model: DesiredState['model']) => Promise<void>; wire: Clock },
): Promise<PartOutcome> {
  const isUnchanged = isSame(required, effective.model);
  if (isUnchanged && has) return { part: { state: 'unchanged' }, effective };
  const silence = Promise.withResolvers<never>();
  const cancel = wire.after(guardLimitMs, () => silence.reject(new Error('The guard did not respond in time.')));
  try {
    await Promise.race([set(required), silence.promise]);
    return { part: { state: isUnchanged ? 'unchanged' : 'applied' }, effective: { ...effective, model: required } };
  } catch (error) {
    return { part: failed('model_not_set', textOf(error)), effective, isTemporary: true };
  } finally {
    cancel();
  }
}

/** Writes a configuration file of the document. */
export async function applyConfig(
  file: ConfigFile,
  required: DesiredState['config']['shared'],
  effective: EffectiveDocuments,
  config: Pick<UnitConfig, 'replace' | 'text'>,
): Promise<PartOutcome> {
  const { version, sha256, text } = required;
  if (sha256Of(text) !== sha256) return { part: failed('config_damaged', 'The text has another checksum.'), effective };
  const [fault] = parseIni(text).diagnostics;
  if (fault !== undefined) return { part: failed('config_invalid', `Line ${fault.line}: ${fault.message}`), effective };
  const isUnchanged = text === config.text(file) && effective.config[file].sha256 === sha256;
  try {
    await config.replace(file, text);
  } catch (error) {
    return { part: failed('config_not_written', textOf(error)), effective, isTemporary: true };
  }
  return {
    part: { state: isUnchanged ? 'unchanged' : 'applied' },
    effective: { ...effective, config: { ...effective.config, [file]: { version, sha256 } } },
  };
}
