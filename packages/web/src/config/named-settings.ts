import { settings } from '@lcs/domain';
import { isShown } from './config-settings.ts';
import { sectionTitle, settingLabel } from './setting-words.ts';

/** A setting of the configuration as the search of all pages names it. */
interface NamedSetting {
  readonly id: string;
  readonly label: string;
  /** The title of its section. */
  readonly section: string;
  /** What the search of the configuration finds it with. */
  readonly find: string;
  readonly synonyms: string;
}

/** Every declared setting that the form of the configuration shows. */
export const namedSettings: readonly NamedSetting[] = settings.flatMap((declared) => {
  const { section, key, unit, description } = declared;
  if (key === '*' || section.startsWith('*') || !isShown(declared)) return [];
  const label = settingLabel(section, key, unit);
  return [
    { id: `${section} ${key}`, label, section: sectionTitle(section), find: key, synonyms: `${key} ${description}` },
  ];
});
