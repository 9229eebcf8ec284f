import type { SettingDeclaration } from './setting-declaration.ts';

/** Values of the configuration by section and key. */
export type ConfigSections = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** One sentence for people. */
export const invalidValueMessage = (section: string, key: string, value: string, expected: string): string =>
  `Key '${key}' in section [${section}] is '${value}'; it must be ${expected}.`;

/** A value of the configuration with which a job cannot work. */
export class ConfigValueError extends Error {
  constructor(section: string, key: string, value: string, expected: string) {
    super(invalidValueMessage(section, key, value, expected));
    this.name = 'ConfigValueError';
  }
}

const textOf = (config: ConfigSections, section: string, key: string): string => config[section]?.[key]?.trim() ?? '';

/** The value of a key, or its default when the key is absent or empty. @throws ConfigValueError for an invalid value */
export function readSetting<Value>(config: ConfigSections, setting: SettingDeclaration<Value>): Value {
  const { section, key, absent } = setting;
  const text = textOf(config, section, key);
  if (text === '') return absent;
  const parsed = setting.parse(text);
  if (!parsed.ok) throw new ConfigValueError(section, key, text, parsed.expected);
  return parsed.value;
}

/**
 * The same where an invalid value must not stop anything: the nearest valid value if the declaration has one, otherwise the default.
 * A person may have edited the file by hand.
 */
export function settingOrDefault<Value>(
  config: ConfigSections,
  setting: SettingDeclaration<Value>,
  key: string = setting.key,
): Value {
  const text = textOf(config, setting.section, key);
  const parsed = text === '' ? undefined : setting.parse(text);
  if (parsed === undefined) return setting.absent;
  return parsed.ok ? parsed.value : (parsed.nearest ?? setting.absent);
}
