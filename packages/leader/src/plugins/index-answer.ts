import { type AvailablePlugin, hasShape } from '@lcs/contract';
import { pluginName } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import { Type } from 'typebox';

const Name = Type.Object({ name: Type.Optional(Type.String()), username: Type.Optional(Type.String()) });

/** A found package, as `GET /-/v1/search` of npm registries describes it (registry API of npm). */
const Found = Type.Object({
  package: Type.Object({
    name: Type.String(),
    version: Type.String(),
    description: Type.Optional(Type.String()),
    date: Type.Optional(Type.String()),
    author: Type.Optional(Name),
    publisher: Type.Optional(Name),
    links: Type.Optional(
      Type.Object({ homepage: Type.Optional(Type.String()), repository: Type.Optional(Type.String()) }),
    ),
  }),
});
const SearchAnswer = Type.Object({ objects: Type.Array(Type.Unknown()) });

/** More than a person reads. */
const longestList = 200;
const longestText = 300;

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
    const { name, version, description, date, author, publisher, links } = entry.package;
    if (!pluginName.test(name) || plugins.has(name)) continue;
    plugins.set(name, {
      name,
      version: version.slice(0, 50),
      description: shortened(description),
      author: shortened(author?.name ?? publisher?.username),
      homepage: webAddress(links?.homepage) ?? webAddress(links?.repository),
      published_at: moment(date),
    });
  }
  return [...plugins.values()];
}
