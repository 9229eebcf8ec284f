import { type AvailablePlugin, hasShape } from '@lcs/contract';
import { pluginName } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import { Type } from 'typebox';

/**
 * A found package, as `GET /-/v1/search` of npm registries describes it (registry API of npm). Registries differ in the other fields:
 * one of an odd type is as absent.
 */
const Found = Type.Object({ package: Type.Object({ name: Type.String(), version: Type.String() }) });
const SearchAnswer = Type.Object({ objects: Type.Array(Type.Unknown()) });

/** More than a person reads. */
const longestList = 200;
const longestText = 300;

/** The text in a field of `place`, or in one of its objects. */
function textIn(place: unknown, field: string, ...within: readonly string[]): string | undefined {
  const value: unknown =
    typeof place === 'object' && place !== null && Object.hasOwn(place, field) ? Reflect.get(place, field) : undefined;
  const [next, ...rest] = within;
  if (next !== undefined) return textIn(value, next, ...rest);
  return typeof value === 'string' ? value : undefined;
}

const shortened = (text: string | undefined): string | null =>
  text === undefined || text.trim() === '' ? null : text.trim().slice(0, longestText);

/** An address that a browser may open from the list. */
const webAddress = (text: string | undefined): string | null =>
  text !== undefined && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text.slice(0, 1000) : null;

const moment = (text: string | undefined): string | null => {
  const atMs = Date.parse(text ?? '');
  return Number.isFinite(atMs) ? toTimestamp(atMs) : null;
};

/** The plugins in the answer of an index; entries without a valid name are omitted. Undefined: it is not such an answer. */
export function pluginsInAnswer(answer: unknown): readonly AvailablePlugin[] | undefined {
  if (!hasShape(SearchAnswer, answer)) return undefined;
  const plugins = new Map<string, AvailablePlugin>();
  for (const entry of answer.objects) {
    if (plugins.size === longestList) break;
    if (!hasShape(Found, entry)) continue;
    const found = entry.package;
    const { name, version } = found;
    if (!pluginName.test(name) || plugins.has(name)) continue;
    plugins.set(name, {
      name,
      version: version.slice(0, 50),
      description: shortened(textIn(found, 'description')),
      author: shortened(textIn(found, 'author', 'name') ?? textIn(found, 'publisher', 'username')),
      homepage: webAddress(textIn(found, 'links', 'homepage')) ?? webAddress(textIn(found, 'links', 'repository')),
      published_at: moment(textIn(found, 'date')),
    });
  }
  return [...plugins.values()];
}
