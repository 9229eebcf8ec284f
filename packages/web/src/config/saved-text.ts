import { parseIni } from '@lcs/contract/ini';
import { declaredSetting, type SettingDeclaration } from '@lcs/domain';
import { configWords } from '../words/config.ts';
import { sectionTitle, settingLabel } from './setting-words.ts';

type Effect = SettingDeclaration['needsRestart'];

/** When a changed setting takes effect: of a single one, and before the names of several. */
export const effectWords: { readonly [When in Effect]: string } = configWords.effectWords;
const effects: readonly Effect[] = ['no', 'job', 'node'];

/** The settings in which two texts of a file differ, by when they take effect. */
function changedByEffect(before: string, after: string): ReadonlyMap<Effect, readonly string[]> {
  const [old, now] = [parseIni(before).document.view(), parseIni(after).document.view()];
  const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((section) =>
    [...new Set([...Object.keys(old[section] ?? {}), ...Object.keys(now[section] ?? {})])].flatMap((key) => {
      const declared = declaredSetting(section, key);
      if (declared === undefined || old[section]?.[key] === now[section]?.[key]) return [];
      const name = `${sectionTitle(section)} – ${settingLabel(section, key, declared.unit)}`;
      return [{ when: declared.needsRestart, name }];
    }),
  );
  const byEffect = Map.groupBy(changed, ({ when }) => when);
  return new Map([...byEffect].map(([when, ofEffect]) => [when, ofEffect.map(({ name }) => name)]));
}

/** When the settings that a save has changed take effect. */
export function savedText(before: string, after: string): string {
  const changed = changedByEffect(before, after);
  const [only] = changed.keys();
  if (only === undefined) return configWords.saved;
  if (changed.size === 1) return configWords.savedChangeTakesEffect(effectWords[only]);
  const parts = effects.flatMap((when) => {
    const names = changed.get(when);
    const words = effectWords[when];
    return names === undefined ? [] : [`${words.charAt(0).toUpperCase()}${words.slice(1)}: ${names.join(', ')}.`];
  });
  return configWords.savedWith(parts.join(' '));
}
