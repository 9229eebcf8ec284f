import type { AvailablePlugin } from '@lcs/contract';
import type { FleetPlugin } from './read-plugins.ts';

/** What can be done with a plugin of the index, and what units have of it. */
export interface Offer {
  /** null: every unit that has it has this version. */
  readonly action: 'Install' | 'Update' | null;
  readonly present: string | null;
}

export function offerOf({ name, version }: AvailablePlugin, installed: readonly FleetPlugin[]): Offer {
  const places = installed.find((plugin) => plugin.name === name)?.places ?? [];
  if (places.length === 0) return { action: 'Install', present: null };
  const others = places.filter((place) => place.version !== version);
  if (others.length === 0)
    return { action: null, present: `Installed on ${places.map(({ unit }) => unit).join(', ')}` };
  const present = others.map((place) => `${place.unit} has ${place.version}`).join(', ');
  return { action: 'Update', present };
}

/** Those whose name, description or author has all words of the search. */
export function matching(plugins: readonly AvailablePlugin[], search: string): readonly AvailablePlugin[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return plugins.filter(({ name, description, author }) => {
    const text = `${name} ${description ?? ''} ${author ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
