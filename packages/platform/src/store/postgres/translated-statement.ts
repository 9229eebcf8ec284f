import type { SQLInputValue } from 'node:sqlite';
import { identifier } from './identifier.ts';
import { afterBracket, isSymbol, isWord, type SqlToken, sqlTokens } from './sql-tokens.ts';

/** A statement as PostgreSQL reads it, with the values of its parameters in their order. */
export interface BoundStatement {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
}

/** Part of a translated statement: text, or the place of a value (from 0). */
type Piece = string | number;

const castOf = (value: SQLInputValue): string => {
  switch (typeof value) {
    case 'number':
      return Number.isSafeInteger(value) ? 'bigint' : 'double precision';
    case 'bigint':
      return 'bigint';
    case 'string':
      return 'text';
    default:
      return 'bytea';
  }
};

/**
 * A statement of SQLite in the words of PostgreSQL. Each value is bound with the type that it has in SQLite; null is written as such, because
 * PostgreSQL cannot tell the type of a parameter in `? is null`.
 */
export class TranslatedStatement {
  /** Whether it inserts, updates or deletes. */
  readonly writes: boolean;
  readonly #pieces: readonly Piece[];

  constructor(pieces: readonly Piece[], writes: boolean) {
    this.#pieces = pieces;
    this.writes = writes;
  }

  bind(values: readonly SQLInputValue[]): BoundStatement {
    const bound: SQLInputValue[] = [];
    const positions = new Map<number, string>();
    let text = '';
    for (const piece of this.#pieces) {
      if (typeof piece === 'string') {
        text += piece;
        continue;
      }
      let place = positions.get(piece);
      if (place === undefined) {
        const value = values[piece] ?? null;
        if (value === null) place = 'null';
        else {
          bound.push(value);
          place = `$${bound.length}::${castOf(value)}`;
        }
        positions.set(piece, place);
      }
      text += place;
    }
    return { text, values: bound };
  }

  /** The text with `replacement(place)` for each value. */
  replaced(replacement: (place: number) => string): string {
    return this.#pieces.map((piece) => (typeof piece === 'string' ? piece : replacement(piece))).join('');
  }
}

/** Names of types in `cast(… as …)`. */
const castTypes: ReadonlyMap<string, string> = new Map([
  ['integer', 'bigint'],
  ['real', 'double precision'],
  ['blob', 'bytea'],
]);

/** Functions that have another name. */
const functionNames: ReadonlyMap<string, string> = new Map([['ifnull', 'coalesce']]);

const nextMeaning = (tokens: readonly SqlToken[], from: number): number => {
  let at = from;
  while (tokens[at]?.kind === 'space') at += 1;
  return at;
};

const lastMeaning = (tokens: readonly SqlToken[], from: number): SqlToken | undefined => {
  let at = from;
  while (tokens[at]?.kind === 'space') at -= 1;
  return tokens[at];
};

/** Words that may follow a table and are no name of it. */
const afterTables = [
  ...['join', 'cross', 'left', 'inner', 'natural', 'on', 'using', 'where', 'group', 'having', 'order', 'limit'],
  ...['union', 'except', 'intersect', 'returning', 'window', 'indexed'],
];

/** Whether `is`, or `is not`, is followed by one of the tests that both engines have. */
const isPlainTest = (token: SqlToken | undefined): boolean => isWord(token, 'null', 'true', 'false', 'distinct');

/** The end of a `cross join` at this depth that has an `on` of its own: to PostgreSQL it is an inner join. */
function hasCondition(tokens: readonly SqlToken[], from: number): boolean {
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (isSymbol(token, '(')) {
      at = afterBracket(tokens, at) - 1;
      continue;
    }
    if (isWord(token, 'on')) return true;
    const ends = isWord(
      token,
      'join',
      'cross',
      'left',
      'inner',
      'where',
      'group',
      'order',
      'limit',
      'union',
      'returning',
    );
    if (ends || isSymbol(token, ')') || isSymbol(token, ',')) return false;
  }
  return false;
}

/** Whether there are several arguments in these brackets. */
function hasComma(tokens: readonly SqlToken[], open: number): boolean {
  const end = afterBracket(tokens, open);
  for (let at = open + 1; at < end; at += 1) {
    if (isSymbol(tokens[at], ',')) return true;
    if (isSymbol(tokens[at], '(')) at = afterBracket(tokens, at) - 1;
  }
  return false;
}

/** A name with capitals: PostgreSQL would read it in lower case. */
const isMixed = (text: string): boolean => text !== text.toLowerCase() && text !== text.toUpperCase();

class Translation {
  readonly #main: string;
  readonly #tokens: readonly SqlToken[];
  readonly #pieces: Piece[] = [];
  #text = '';
  #parameters = 0;
  #ignores = false;
  #writes = false;
  /** Positions of the `as` of casts. */
  readonly #castTypes = new Set<number>();
  /** Positions of brackets that close a subquery without a name. */
  readonly #unnamed = new Set<number>();

  constructor(text: string, main: string) {
    this.#tokens = sqlTokens(text);
    this.#main = main;
  }

  statement(): TranslatedStatement {
    let depth = 0;
    for (let at = 0; at < this.#tokens.length; ) {
      const token = this.#tokens[at];
      if (token === undefined) break;
      if (isSymbol(token, '(')) depth += 1;
      if (isSymbol(token, ')')) depth -= 1;
      if (isSymbol(token, '(')) this.#findSubquery(at);
      if (this.#ignores && depth === 0 && isWord(token, 'returning')) this.#ignoreConflicts();
      at = this.#one(token, at);
    }
    if (this.#ignores) this.#ignoreConflicts();
    this.#endPiece();
    return new TranslatedStatement(this.#pieces, this.#writes);
  }

  /** Translates what begins at this token; returns the position after it. */
  #one(token: SqlToken, at: number): number {
    switch (token.kind) {
      case 'parameter':
        this.#parameter(token.text);
        return at + 1;
      case 'blob':
        this.#text += `'\\x${token.text.slice(2, -1)}'::bytea`;
        return at + 1;
      case 'symbol':
        this.#text += token.text === '==' ? '=' : token.text;
        if (this.#unnamed.has(at)) this.#text += ` as unnamed_${at}`;
        return at + 1;
      case 'word':
        return this.#word(token, at);
      default:
        this.#text += token.text;
        return at + 1;
    }
  }

  #word({ text }: SqlToken, at: number): number {
    const word = text.toLowerCase();
    const next = nextMeaning(this.#tokens, at + 1);
    switch (word) {
      case 'insert':
      case 'update':
      case 'delete':
        this.#writes = true;
        break;
      case 'like':
        this.#text += 'ilike';
        return at + 1;
      case 'is':
        return this.#is(at, next);
      case 'or':
        return this.#or(at, next);
      case 'in': {
        const close = nextMeaning(this.#tokens, next + 1);
        if (!isSymbol(this.#tokens[next], '(') || !isSymbol(this.#tokens[close], ')')) break;
        this.#emptyList();
        return close + 1;
      }
      case 'indexed':
        if (isWord(this.#tokens[next], 'by')) return nextMeaning(this.#tokens, next + 1) + 1;
        break;
      case 'main':
        // The store among the databases of a connection.
        if (!isSymbol(this.#tokens[at + 1], '.')) break;
        this.#text += this.#main;
        return at + 2;
      case 'cross':
        if (isWord(this.#tokens[next], 'join') && hasCondition(this.#tokens, next + 1)) {
          this.#text += 'join';
          return next + 1;
        }
        break;
      case 'cast':
        this.#findCastType(next);
        break;
    }
    if (this.#castTypes.has(at)) this.#text += castTypes.get(word) ?? text;
    else if (isSymbol(this.#tokens[next], '(')) this.#text += this.#functionName(word, next) ?? text;
    else this.#text += isMixed(text) ? `"${text}"` : text;
    return at + 1;
  }

  /** The name of the function whose arguments begin at this bracket, if PostgreSQL has another one for it. */
  #functionName(word: string, open: number): string | undefined {
    if (word !== 'group_concat') return functionNames.get(word);
    return hasComma(this.#tokens, open) ? 'string_agg' : undefined;
  }

  #is(at: number, next: number): number {
    const negated = isWord(this.#tokens[next], 'not');
    const operand = negated ? nextMeaning(this.#tokens, next + 1) : next;
    if (isPlainTest(this.#tokens[operand])) {
      this.#text += 'is';
      return at + 1;
    }
    this.#text += negated ? 'is distinct from ' : 'is not distinct from ';
    return operand;
  }

  /** `insert or ignore`. */
  #or(at: number, next: number): number {
    if (/\binsert\s*$/i.test(this.#text) && isWord(this.#tokens[next], 'ignore')) {
      this.#ignores = true;
      return next + 1;
    }
    this.#text += 'or';
    return at + 1;
  }

  /** Nothing is in an empty list, and null is outside it, too. PostgreSQL has none, but an array of any type. */
  #emptyList(): void {
    const outside = this.#text.replace(/\bnot\s*$/i, '');
    this.#text = outside === this.#text ? `${this.#text}= any ('{}')` : `${outside}<> all ('{}')`;
  }

  #ignoreConflicts(): void {
    this.#text += ' on conflict do nothing ';
    this.#ignores = false;
  }

  /** Remembers the end of a subquery in `from` that has no name: PostgreSQL before version 16 requires one. */
  #findSubquery(open: number): void {
    const first = this.#tokens[nextMeaning(this.#tokens, open + 1)];
    if (!isWord(first, 'select', 'with', 'values') || !isWord(lastMeaning(this.#tokens, open - 1), 'from', 'join'))
      return;
    const end = afterBracket(this.#tokens, open);
    const name = this.#tokens[nextMeaning(this.#tokens, end)];
    const isNamed = name?.kind === 'name' || (name?.kind === 'word' && !isWord(name, ...afterTables));
    if (!isNamed) this.#unnamed.add(end - 1);
  }

  /** Remembers the position of the type in a cast that opens at this bracket. */
  #findCastType(open: number): void {
    const end = afterBracket(this.#tokens, open);
    for (let at = end - 1; at > open; at -= 1) {
      if (!isWord(this.#tokens[at], 'as')) continue;
      this.#castTypes.add(nextMeaning(this.#tokens, at + 1));
      return;
    }
  }

  #parameter(text: string): void {
    this.#endPiece();
    const number = text.length > 1 ? Number(text.slice(1)) : this.#parameters + 1;
    this.#parameters = Math.max(this.#parameters, number);
    this.#pieces.push(number - 1);
  }

  #endPiece(): void {
    if (this.#text !== '') this.#pieces.push(this.#text);
    this.#text = '';
  }
}

const mostKept = 2_000;

/** Translates each text once. */
export class StatementTranslator {
  /** What `main.` becomes. */
  readonly #main: string;
  readonly #known = new Map<string, TranslatedStatement>();

  /** `store`: the schema that is meant by `main`; absent: the first of the search path. */
  constructor(store?: string) {
    this.#main = store === undefined ? '' : `${identifier(store)}.`;
  }

  translate(text: string): TranslatedStatement {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const translated = new Translation(text, this.#main).statement();
    if (this.#known.size >= mostKept) this.#known.clear();
    this.#known.set(text, translated);
    return translated;
  }
}
