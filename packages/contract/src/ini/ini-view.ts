/** The section whose keys are defaults of every other one. */
export const defaultSection = 'DEFAULT';

/**
 * The values of a file by section: objects of strings without a prototype, so that a section or key called `__proto__` or `constructor` is
 * a name like any other.
 */
export type IniView = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The values of one file by section and key, `[DEFAULT]` being a section. */
export type IniLayer = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Merges files key by key; later files take precedence. `[DEFAULT]` has the lowest precedence: a key of a section overrides a default of
 * any file.
 */
export function viewOf(layers: readonly IniLayer[]): IniView {
  const defaults = layers.map((layer) => layer.get(defaultSection));
  const names = new Set(layers.flatMap((layer) => [...layer.keys()]));
  names.delete(defaultSection);
  const view: Record<string, Record<string, string>> = Object.create(null);
  for (const name of names) view[name] = overlay([...defaults, ...layers.map((layer) => layer.get(name))]);
  return view;
}

function overlay(maps: readonly (ReadonlyMap<string, string> | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = Object.create(null);
  for (const map of maps) for (const [key, value] of map ?? []) merged[key] = value;
  return merged;
}
