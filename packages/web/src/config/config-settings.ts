import { type IniDocument, IniUnwritable, type IniView, parseIni } from '@lcs/contract/ini';
import { declaredSetting, type SettingDeclaration, settings, shippedValues } from '@lcs/domain';
import { configWords } from '../words/config.ts';
import { bySectionOrder } from './setting-words.ts';

/** What a file is compared with: without own values, these are effective. */
export interface SettingReference {
  /** Of a unit's own file: the values of the shared file. Undefined: the file is the shared one itself. */
  readonly shared: IniView | undefined;
}

/** One key of a configuration file as the form shows it. */
export interface ConfigField {
  readonly section: string;
  readonly key: string;
  readonly declaration: SettingDeclaration;
  /** The value in its section of the text; '': it has none. */
  readonly written: string;
  /** The value of `[DEFAULT]` of the text, which is effective without an own one; '': none. */
  readonly inherited: string;
  /** The value without one in the text, as text; '': none. */
  readonly otherwise: string;
  /** The value that a person has not changed, as text: of a new leader's file, or of the shared file; '': none. */
  readonly usual: string;
  /** Whether most people need it: the file of a new leader, or this text, has it. */
  readonly isCommon: boolean;
  /** Why the value is not valid; null: it is. */
  readonly fault: string | null;
}

const fieldId = (section: string, key: string): string => `${section}\n${key}`;

/** Keys that have a meaning and may be shown. */
export const isShown = ({ isUnused, isSecret }: SettingDeclaration): boolean => isUnused !== true && isSecret !== true;

const trimmed = (text: string | undefined): string => text?.trim() ?? '';

function faultOf({ parse }: SettingDeclaration, text: string): string | null {
  const parsed = text === '' ? undefined : parse(text);
  return parsed?.ok === false ? configWords.mustBe(parsed.expected) : null;
}

/** The value of a key when the text has none. */
function otherwiseOf({ shared }: SettingReference, section: string, key: string, declared: SettingDeclaration): string {
  return trimmed(shared?.[section]?.[key]) || (declared.default ?? '');
}

/** The fields of a file, by section; each declared key once, and the keys of the text that a declaration for any key covers. */
export function configFields(
  document: IniDocument,
  reference: SettingReference,
): readonly { readonly section: string; readonly fields: readonly ConfigField[] }[] {
  const found = new Map<string, readonly [section: string, key: string, declared: SettingDeclaration]>();
  for (const declared of settings)
    if (declared.key !== '*' && !declared.section.startsWith('*') && isShown(declared))
      found.set(fieldId(declared.section, declared.key), [declared.section, declared.key, declared]);
  for (const [section, values] of document.layer())
    for (const key of values.keys()) {
      const declared = declaredSetting(section, key);
      if (declared !== undefined && isShown(declared)) found.set(fieldId(section, key), [section, key, declared]);
    }
  const layer = document.layer();
  const fields = [...found.values()].map(([section, key, declaration]): ConfigField => {
    const written = trimmed(layer.get(section)?.get(key));
    // A section that does not exist inherits nothing.
    const inherited = layer.get(section)?.has(key) ? '' : trimmed(document.get(section, key));
    const otherwise = otherwiseOf(reference, section, key, declaration);
    const shipped = reference.shared === undefined ? shippedValues(section)[key] : undefined;
    return {
      section,
      key,
      declaration,
      written,
      inherited,
      otherwise,
      usual: trimmed(shipped) || otherwise,
      isCommon: written !== '' || inherited !== '' || declaration.inFile !== undefined,
      fault: faultOf(declaration, written || inherited),
    };
  });
  return [...Map.groupBy(fields, ({ section }) => section)]
    .map(([section, ofSection]) => ({ section, fields: ofSection }))
    .sort((left, right) => bySectionOrder(left.section, right.section));
}

/** A setting whose value is another than without the person's change. */
export interface ChangedSetting {
  readonly field: ConfigField;
  /** The effective value as text; '': none. */
  readonly now: string;
  /** The value of a new leader's file, or of the shared file; '': none. */
  readonly usual: string;
}

/** Whether two texts are the same value of a setting. */
export const isSame = ({ parse }: SettingDeclaration, left: string, right: string): boolean => {
  if (left === right) return true;
  if (left === '' || right === '') return false;
  const [a, b] = [parse(left), parse(right)];
  return a.ok && b.ok && a.value === b.value;
};

/** Names and addresses that each installation has, and for which there is no default. */
const isOfInstallation = ({ default: usual, value }: SettingDeclaration): boolean =>
  usual === null && (value.type === 'text' || value.type === 'host');

/** The settings of a file that differ from those of a new leader; of a unit's own file, from the shared file. */
export function changedSettings(document: IniDocument, reference: SettingReference): readonly ChangedSetting[] {
  return configFields(document, reference)
    .flatMap(({ fields }) => fields)
    .flatMap((field) => {
      const { written, inherited, otherwise, usual, declaration } = field;
      if (isOfInstallation(declaration)) return [];
      const now = written || inherited || otherwise;
      return isSame(declaration, now, usual) ? [] : [{ field, now, usual }];
    });
}

/**
 * The text with another value of one key. '' leaves a line without a value, so that the next value stays below its comment;
 * `withoutEmpty` removes it. Undefined: the value cannot be written in a file.
 */
export function withSetting(text: string, section: string, key: string, value: string): string | undefined {
  const { document } = parseIni(text);
  if (trimmed(value) === '' && !document.layer().get(section)?.has(key)) return text;
  try {
    document.set(section, key, trimmed(value));
  } catch (error) {
    if (error instanceof IniUnwritable) return undefined;
    throw error;
  }
  return document.toString();
}

/** The text without the line of a key that has no value. */
export function withoutEmpty(text: string, section: string, key: string): string {
  const { document } = parseIni(text);
  if (trimmed(document.layer().get(section)?.get(key)) === '') document.remove(section, key);
  return document.toString();
}
