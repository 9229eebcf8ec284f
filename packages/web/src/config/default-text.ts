import { configWords } from '../words/config.ts';
import { type ConfigField, isSame } from './config-settings.ts';
import { shownValue } from './number-setting.ts';

/** Where the value of a key without an own one comes from. */
export const originOf = ({ inherited }: Pick<ConfigField, 'inherited'>, otherwise: string): string =>
  inherited === '' ? otherwise : configWords.inheritedFromDefault;

/** Introduces the value of a field without one, where that is not the default. */
export const leftEmpty = configWords.ifFieldIsEmpty;

/**
 * The default of a field in words. A new leader's file has a value for some keys that differs from the one without it: both are said, and
 * "default" is the one with which the list of differences compares.
 */
export function defaultText(field: ConfigField, otherwiseName: string): string {
  const { declaration, inherited, otherwise, usual } = field;
  const of = declaration.unit === undefined ? '' : ` ${declaration.unit}`;
  const shown = (text: string): string => `${shownValue(declaration, text)}${of}`;
  const absent = inherited || otherwise;
  const isTwofold = inherited === '' && usual !== '' && !isSame(declaration, usual, otherwise);
  if (!isTwofold) return absent === '' ? '' : `${originOf(field, otherwiseName)}: ${shown(absent)}.`;
  return `${otherwiseName}: ${shown(usual)}, ${configWords.ofNewFile}. ${leftEmpty}: ${otherwise === '' ? configWords.noDefault : shown(otherwise)}.`;
}
