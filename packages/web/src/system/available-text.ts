import type { AvailablePlugin } from '@lcs/contract';
import { compareVersions } from '@lcs/domain';
import { commonWords } from '../words/common.ts';
import { systemWords } from '../words/system.ts';
import type { FleetPlugin } from './read-plugins.ts';

/** What can be done with a plugin of the index, and what units have of it. */
export interface Offer {
  /** null: no unit lacks it or has an older version, or a unit has a newer one, which an installation on all units would take from it. */
  readonly action: 'Install' | 'Update' | null;
  readonly present: string | null;
}

/** @param units those that have reported their plugins */
export function offerOf(
  { name, version }: AvailablePlugin,
  installed: readonly FleetPlugin[],
  units: readonly string[],
): Offer {
  const places = installed.find((plugin) => plugin.name === name)?.places ?? [];
  if (places.length === 0) return { action: systemWords.install, present: null };
  const others = places.filter((place) => place.version !== version);
  const missing = units.filter((unit) => places.every((place) => place.unit !== unit));
  if (others.length === 0 && missing.length === 0)
    return { action: null, present: systemWords.installedOn(places.map(({ unit }) => unit).join(', ')) };
  const isNewer = (place: { readonly version: string }): boolean => compareVersions(place.version, version) > 0;
  const present = [
    ...others.map((place) =>
      systemWords.unitHasVersion(place.unit, place.version, isNewer(place) ? systemWords.whichIsNewer : ''),
    ),
    ...missing.map((unit) => systemWords.hasNone(unit)),
  ];
  const wanted = missing.length > 0 ? systemWords.install : commonWords.update;
  return { action: others.some(isNewer) ? null : wanted, present: present.join('; ') };
}

/** The registry that npm uses unless a machine is set to another. */
const usualRegistry = 'registry.npmjs.org';

/** Where units fetch a plugin of the index from, which they do by themselves. */
export const originText = (source: string | null): string =>
  source === usualRegistry || source === null
    ? systemWords.unitsFetchFromRegistry
    : systemWords.unitsFetchFromOtherRegistry(source);

/** Those whose name, description or author has all words of the search. */
export function matching(plugins: readonly AvailablePlugin[], search: string): readonly AvailablePlugin[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return plugins.filter(({ name, description, author }) => {
    const text = `${name} ${description ?? ''} ${author ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
