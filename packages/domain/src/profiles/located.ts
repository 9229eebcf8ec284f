import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { ProfileDiagnostic } from './diagnostic.ts';

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

const beginning: Position = { line: 1, column: 1 };

/** A text may be small and stand for very much, by aliases of aliases. */
const mostValues = 100_000;
const deepest = 50;

class Fault extends Error {
  readonly at: Position;
  readonly code: 'yaml.syntax' | 'schema.duplicate';
  constructor(message: string, at: Position, code: Fault['code'] = 'yaml.syntax') {
    super(message);
    this.at = at;
    this.code = code;
  }
}

type Document = ReturnType<typeof parseDocument>;

class Locator {
  readonly #document: Document;
  readonly #lines: LineCounter;
  #left = mostValues;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  locate(node: Node | null | undefined, at: Position, depth = 0): Located {
    const here = node === null || node === undefined ? at : (this.#at(node) ?? at);
    this.#left -= 1;
    if (this.#left < 0) throw new Fault('It stands for more than 100000 values.', here);
    if (depth > deepest) throw new Fault('It is nested too deeply.', here);
    if (isAlias(node)) {
      const meant = node.resolve(this.#document);
      if (meant === undefined) throw new Fault(`Nothing is called *${node.source} before this.`, here);
      return { ...this.locate(meant, here, depth + 1), at: here };
    }
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
      if (name.kind !== 'scalar') throw new Fault('A key must be one word or a text.', keyAt);
      const word = String(name.value ?? '');
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
  throw new Fault(`'${String(value)}' is no value that can be used here.`, at);
}

/** What a text holds: undefined when there is nothing but blanks and comments, or something is wrong with it as a whole. */
export interface LocatedText {
  readonly root: Located | undefined;
  readonly diagnostics: readonly ProfileDiagnostic[];
}

const broken = (code: Fault['code'], message: string, { line, column }: Position): LocatedText => ({
  root: undefined,
  diagnostics: [{ severity: 'error', code, message, path: '', line, column }],
});

/** Reads YAML; what is wrong with it comes with its place. Never throws. */
export function locateYaml(text: string): LocatedText {
  const lines = new LineCounter();
  try {
    // Duplicate keys are met below, with a place and a sentence of their own.
    const document = parseDocument(text, {
      lineCounter: lines,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const [fault] = document.errors;
    if (fault) {
      const { line, col } = lines.linePos(fault.pos[0]);
      return broken('yaml.syntax', `This is no YAML: ${fault.message}`, line === 0 ? beginning : { line, column: col });
    }
    if (document.contents === null) return { root: undefined, diagnostics: [] };
    return { root: new Locator(document, lines).locate(document.contents, beginning), diagnostics: [] };
  } catch (error) {
    if (error instanceof Fault) return broken(error.code, error.message, error.at);
    // The library reads nested text by recursion: the stack is what ends first.
    if (error instanceof RangeError) return broken('yaml.syntax', 'It is nested too deeply.', beginning);
    throw error;
  }
}
