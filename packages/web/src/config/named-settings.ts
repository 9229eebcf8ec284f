import { settings } from '@lcs/domain';
import { isShown } from './config-settings.ts';
import { sectionTitle, settingLabel } from './setting-words.ts';

/** A setting of the configuration as the search of all pages names it. */
interface NamedSetting {
  readonly id: string;
  readonly label: string;
  /** The title of its section. */
  readonly section: string;
  /** What the search of the configuration finds it with: its name as people read it, with its section where others have the same name. */
  readonly find: string;
  readonly synonyms: string;
}

const shown = settings.flatMap((declared) => {
  const { section, key, unit } = declared;
  if (key === '*' || section.startsWith('*') || !isShown(declared)) return [];
  return [{ ...declared, title: sectionTitle(section), label: settingLabel(section, key, unit) }];
});

const ofLabel = Map.groupBy(shown, ({ label }) => label);

/** Every declared setting that the form of the configuration shows. */
export const namedSettings: readonly NamedSetting[] = shown.map(({ section, title, key, label, description }) => ({
  id: `${section} ${key}`,
  label,
  section: title,
  find: ofLabel.get(label)?.length === 1 ? label : `${title} ${label}`,
  synonyms: `${key} ${description}`,
}));
