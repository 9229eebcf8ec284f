import { jobSettings } from './job-settings.ts';
import { nodeSettings } from './node-settings.ts';
import { anyJobSection, anyKey, type SettingDeclaration } from './setting-declaration.ts';

/** Every key of `config.ini` and `unit_config.ini`, by section. */
export const settings: readonly SettingDeclaration[] = [...nodeSettings, ...jobSettings];

const bySection: ReadonlyMap<string, ReadonlyMap<string, SettingDeclaration>> = new Map(
  [...new Set(settings.map(({ section }) => section))].map((name) => [
    name,
    new Map(settings.flatMap((setting) => (setting.section === name ? [[setting.key, setting]] : []))),
  ]),
);

const keysOf = (section: string): ReadonlyMap<string, SettingDeclaration> | undefined =>
  bySection.get(section) ?? (section.endsWith('.config') ? bySection.get(anyJobSection) : undefined);

/** Whether the section is known. */
export const isDeclaredSection = (section: string): boolean => keysOf(section) !== undefined;

/** The declaration of a key; undefined: the key is unknown. */
export function declaredSetting(section: string, key: string): SettingDeclaration | undefined {
  const keys = keysOf(section);
  return keys?.get(key) ?? keys?.get(anyKey);
}

/** The values of a section in the file of a new leader, by key. */
export const shippedValues = (section: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...(bySection.get(section)?.values() ?? [])].flatMap(({ key, inFile }) => {
      if (inFile === undefined) return [];
      return typeof inFile === 'string' ? [[key, inFile]] : Object.entries(inFile);
    }),
  );
