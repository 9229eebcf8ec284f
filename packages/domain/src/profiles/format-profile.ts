import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  type ToStringOptions,
  type YAMLMap,
  type YAMLSeq,
  Document as YamlDocument,
} from 'yaml';
import { type ParsedProfile, parseProfile } from './parse-profile.ts';
import { reactorsAlias } from './profile-keys.ts';

/** Columns of the longest line of a flow style collection; a longer one is written as a block. */
const maxColumns = 120;

const indent = 2;

const toText: ToStringOptions = {
  indent,
  indentSeq: true,
  // Nothing is folded: neither texts nor comments.
  lineWidth: 0,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  flowCollectionPadding: false,
};

/** The keys in the order in which they are written; others follow in their own order. */
const keyOrder = {
  profile: [
    ...['experiment_profile_name', 'version', 'metadata', 'plugins', 'late_actions', 'inputs', 'common', 'reactors'],
    reactorsAlias,
  ],
  metadata: ['author', 'description'],
  plugin: ['name', 'version'],
  reactor: ['label', 'jobs'],
  job: ['description', 'actions'],
  action: [
    ...['type', 't', 'hours_elapsed', 'if', 'every', 'repeat_every_hours', 'while', 'max_time', 'max_hours'],
    ...['wait_until', 'condition', 'options', 'args', 'config_overrides', 'actions'],
  ],
} as const;

/** The result of formatting. */
export type FormattedProfile =
  | { readonly is: 'formatted'; readonly text: string }
  /** The text is not a valid profile. */
  | { readonly is: 'refused'; readonly parsed: Exclude<ParsedProfile, { is: 'valid' }> };

const keyOf = ({ key }: Pair): string => (isScalar(key) ? String(key.value) : '');

const valueAt = (map: YAMLMap, name: string): unknown => map.items.find((pair) => keyOf(pair) === name)?.value;

/** Comments of a list item stand above its first key, in the list; those of a map, in the map: they belong to the first key. */
function bindComment(map: YAMLMap): void {
  const first = map.items[0]?.key;
  if (!map.commentBefore || !isNode(first) || first.commentBefore) return;
  first.commentBefore = map.commentBefore;
  map.commentBefore = null;
}

function moveComment(from: Node, to: Node): void {
  if (!from.commentBefore) return;
  to.commentBefore = [from.commentBefore, to.commentBefore].filter(Boolean).join('\n');
  from.commentBefore = null;
}

/** Brings the structure of a profile into its canonical form. */
class ProfileLayout {
  readonly #isSorted: boolean;

  constructor(isSorted: boolean) {
    this.#isSorted = isSorted;
  }

  profile({ contents }: Document): void {
    if (!isMap(contents)) return;
    this.#sort(contents, keyOrder.profile);
    const version = valueAt(contents, 'version');
    if (isScalar(version)) version.type = Scalar.QUOTE_DOUBLE;
    contents.flow = false;
    const metadata = valueAt(contents, 'metadata');
    if (isMap(metadata)) this.#sort(metadata, keyOrder.metadata);
    const plugins = valueAt(contents, 'plugins');
    if (isSeq(plugins)) for (const plugin of plugins.items) if (isMap(plugin)) this.#sort(plugin, keyOrder.plugin);
    this.#jobsIn(valueAt(contents, 'common'));
    for (const key of ['reactors', reactorsAlias]) {
      for (const { value } of this.#block(valueAt(contents, key))) {
        if (!isMap(value)) continue;
        this.#sort(value, keyOrder.reactor);
        // A unit whose jobs are those of another one, by an alias, may stay on one line.
        if (isMap(valueAt(value, 'jobs'))) this.#jobsIn(value);
      }
    }
  }

  /** A map that is always written as a block, unless it is empty. */
  #block(map: unknown): readonly Pair[] {
    if (!isMap(map)) return [];
    if (map.items.length > 0) map.flow = false;
    return map.items;
  }

  #jobsIn(owner: unknown): void {
    this.#block(owner);
    if (!isMap(owner)) return;
    for (const { value: job } of this.#block(valueAt(owner, 'jobs'))) {
      this.#block(job);
      if (!isMap(job)) continue;
      this.#sort(job, keyOrder.job);
      this.#actions(valueAt(job, 'actions'));
    }
  }

  #actions(actions: unknown): void {
    if (!isSeq(actions)) return;
    if (actions.items.length > 0) actions.flow = false;
    for (const action of actions.items) {
      if (!isMap(action)) continue;
      this.#sort(action, keyOrder.action, true);
      const nested = valueAt(action, 'actions');
      if (nested !== undefined) action.flow = false;
      this.#actions(nested);
    }
  }

  #sort(map: YAMLMap, order: readonly string[], isItem = false): void {
    if (!this.#isSorted) return;
    const placeOf = (pair: Pair) => {
      const index = order.indexOf(keyOf(pair));
      return index < 0 ? order.length : index;
    };
    const sorted = [...map.items].sort((a, b) => placeOf(a) - placeOf(b));
    if (sorted.every((pair, index) => pair === map.items[index])) return;
    if (!isItem) bindComment(map);
    const [before, first] = [map.items[0]?.key, sorted[0]?.key];
    if (isNode(first)) first.spaceBefore = false;
    // The comment at the beginning of a file is about the file.
    if (order === keyOrder.profile && isNode(before) && isNode(first)) moveComment(before, first);
    map.items = sorted;
  }
}

/** A collection alone, on one line if it is in flow style and has no comments. */
const textOf = (node: Node): string =>
  new YamlDocument(node).toString({ ...toText, verifyAliasOrder: false }).replace(/\n$/, '');

/** Writes collections in flow style as blocks when they are too long for a line or contain comments. */
function unfold(node: unknown, column: number): void {
  if (!isCollection(node)) return;
  if (node.flow) {
    const text = textOf(node);
    if (!text.includes('\n') && column + text.length <= maxColumns) return;
    node.flow = false;
  }
  for (const item of node.items) {
    if (!isPair(item)) unfold(item, column + indent);
    // On the line of its key, if it fits.
    else unfold(item.value, column + (isFlow(item.value) ? keyOf(item).length + 2 : indent));
  }
}

const isFlow = (node: unknown): node is YAMLMap | YAMLSeq => isCollection(node) && node.flow === true;

function render(text: string, isSorted: boolean): string {
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  new ProfileLayout(isSorted).profile(document);
  unfold(document.contents, 0);
  return document.toString(toText);
}

/** The comments of a text, in any order. */
const commentsIn = (text: string): string =>
  [...new Lexer().lex(text)]
    .filter((token) => token.startsWith('#'))
    .map((comment) => comment.trim())
    .sort()
    .join('\n');

/** Formats until nothing changes; undefined: the library cannot keep profile or comments of this text. */
function candidate(text: string, expected: string, isSorted: boolean): string | undefined {
  let formatted = text;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const before = formatted;
    formatted = render(before, isSorted);
    if (formatted !== before) continue;
    const parsed = parseProfile(formatted);
    const isSame = parsed.is === 'valid' && JSON.stringify(parsed.profile) === expected;
    return isSame && commentsIn(formatted) === commentsIn(text) ? formatted : undefined;
  }
  return undefined;
}

function attempted(text: string, expected: string, isSorted: boolean): string | undefined {
  try {
    return candidate(text, expected, isSorted);
  } catch (error) {
    // An alias that would come before its anchor.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/**
 * The canonical form of a valid profile: order of keys, indentation, spacing and style of actions. Comments, anchors, aliases, quotes and
 * blank lines are kept, and the profile is the same. A text for which this is not possible is returned as it is. Pure; never throws.
 */
export function formatProfile(text: string): FormattedProfile {
  const parsed = parseProfile(text);
  if (parsed.is !== 'valid') return { is: 'refused', parsed };
  const expected = JSON.stringify(parsed.profile);
  // Keys stay where they are if an alias would come before its anchor.
  const formatted = attempted(text, expected, true) ?? attempted(text, expected, false);
  return { is: 'formatted', text: formatted ?? text };
}
