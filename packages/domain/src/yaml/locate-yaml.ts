import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  visit,
} from 'yaml';

/** Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A value of a YAML text, with its place. */
export type Located = { readonly at: Position } & (
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, Entry> }
  | { readonly kind: 'list'; readonly items: readonly Located[] }
  | { readonly kind: 'scalar'; readonly value: string | number | boolean | null }
);

interface Entry {
  /** Of the key. */
  readonly at: Position;
  readonly value: Located;
}

/** A fault of a text as a whole. */
interface YamlFault {
  readonly code: 'yaml.syntax' | 'yaml.limit' | 'schema.duplicate';
  readonly message: string;
  readonly at: Position;
}

/** `root` is undefined when there is nothing but blanks and comments, or when there is a fault. */
export type LocatedText =
  | { readonly root: Located | undefined; readonly fault?: undefined }
  | { readonly root: undefined; readonly fault: YamlFault };

const beginning: Position = { line: 1, column: 1 };

/** Characters of the longest text that is read at all: the library needs some 3 µs and 1 kB of memory for each. */
export const longestYaml = 262_144;
/** A text may be small and stand for very much, by aliases of aliases. */
const mostAliases = 1000;
const mostValues = 100_000;
const deepest = 50;
/** Characters; as many as YAML allows for a key on one line. */
const longestKey = 1024;

class Fault extends Error {
  readonly fault: YamlFault;
  constructor(message: string, at: Position, code: YamlFault['code'] = 'yaml.syntax') {
    super(message);
    this.fault = { code, message, at };
  }
}

/**
 * The node that each alias of a text means: the last one before it with the anchor. One walk finds all of them; the library's
 * own `resolve` walks the whole text again for each alias.
 */
function aliasTargets(root: Node, atOf: (node: Node) => Position): ReadonlyMap<Alias, Node> {
  const anchored = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(root, {
    Node: (_key, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchored.set(node.anchor, node);
        return;
      }
      const target = anchored.get(node.source);
      if (target === undefined) throw new Fault(`No anchor &${node.source} precedes this alias.`, atOf(node));
      if (targets.size === mostAliases)
        throw new Fault(`The text has more than ${mostAliases} aliases.`, atOf(node), 'yaml.limit');
      targets.set(node, target);
    },
  });
  return targets;
}

class Locator {
  readonly #lines: LineCounter;
  readonly #targets: ReadonlyMap<Alias, Node>;
  #left = mostValues;

  constructor(root: Node, lines: LineCounter) {
    this.#lines = lines;
    this.#targets = aliasTargets(root, (node) => this.#at(node) ?? beginning);
  }

  locate(node: Node | null | undefined, at: Position, depth = 0): Located {
    const here = node === null || node === undefined ? at : (this.#at(node) ?? at);
    this.#left -= 1;
    if (this.#left < 0) throw new Fault(`The text has more than ${mostValues} values.`, here, 'yaml.limit');
    if (depth > deepest) throw new Fault(`The text is nested deeper than ${deepest} levels.`, here, 'yaml.limit');
    if (isAlias(node)) return { ...this.locate(this.#targets.get(node), here, depth + 1), at: here };
    if (isSeq<Node>(node))
      return { kind: 'list', at: here, items: node.items.map((item) => this.locate(item, here, depth + 1)) };
    if (isMap<Node, Node>(node)) return { kind: 'map', at: here, entries: this.#entries(node.items, here, depth) };
    return { kind: 'scalar', at: here, value: isScalar(node) ? scalarOf(node.value, here) : null };
  }

  #entries(
    items: readonly { readonly key: Node; readonly value: Node | null }[],
    at: Position,
    depth: number,
  ): ReadonlyMap<string, Entry> {
    const entries = new Map<string, Entry>();
    for (const { key, value } of items) {
      const keyAt = this.#at(key) ?? at;
      const name = this.locate(key, at, depth + 1);
      if (name.kind !== 'scalar') throw new Fault('A key must be a plain or quoted text.', keyAt);
      const word = String(name.value ?? '');
      if (word.length > longestKey)
        throw new Fault(`A key is longer than ${longestKey} characters.`, keyAt, 'yaml.limit');
      if (entries.has(word)) throw new Fault(`The key '${word}' occurs twice.`, keyAt, 'schema.duplicate');
      entries.set(word, { at: keyAt, value: this.locate(value, keyAt, depth + 1) });
    }
    return entries;
  }

  #at({ range }: Node): Position | undefined {
    if (!range) return undefined;
    const { line, col } = this.#lines.linePos(range[0]);
    return line === 0 ? undefined : { line, column: col };
  }
}

function scalarOf(value: unknown, at: Position): string | number | boolean | null {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value === undefined) return null;
  throw new Fault(`'${String(value)}' cannot be used as a value here.`, at);
}

/** The nodes of a text, aliases not yet followed. Keys that occur twice are found later, with their place. */
function nodesOf(text: string, lines: LineCounter): ParsedNode | null {
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [fault] = document.errors;
  if (fault === undefined) return document.contents;
  const { line, col } = lines.linePos(fault.pos[0]);
  throw new Fault(`This is not YAML: ${fault.message}`, line === 0 ? beginning : { line, column: col });
}

/**
 * Reads YAML in a time that grows with the length of the text and nothing else: a text that is too long, too deeply nested,
 * or has too many aliases or values is a fault. Never throws.
 */
export function locateYaml(text: string): LocatedText {
  try {
    if (text.length > longestYaml)
      throw new Fault(`The text is longer than ${longestYaml} characters.`, beginning, 'yaml.limit');
    const lines = new LineCounter();
    const root = nodesOf(text, lines);
    return { root: root === null ? undefined : new Locator(root, lines).locate(root, beginning) };
  } catch (error) {
    if (error instanceof Fault) return { root: undefined, fault: error.fault };
    // The library reads nested text by recursion: the stack is what ends first.
    if (error instanceof RangeError)
      return {
        root: undefined,
        fault: { code: 'yaml.limit', message: 'The text is nested too deeply.', at: beginning },
      };
    throw error;
  }
}
