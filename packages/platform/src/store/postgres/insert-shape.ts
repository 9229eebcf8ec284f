import { isSymbol, isWord, nameOf, type SqlToken, sqlTokens, withoutSpace } from './sql-tokens.ts';

/** The target of an insert, for `bulk`: its table, its columns, and the columns that decide about conflicts. */
export interface InsertShape {
  readonly table: string;
  readonly columns: readonly string[];
  /** For each column, the place of its value. */
  readonly places: readonly number[];
  /** Columns after `on conflict`; undefined without that clause, or without columns. */
  readonly conflict: readonly string[] | undefined;
  /** The text after the values. */
  readonly rest: string;
}

/** Names in brackets from `open`; undefined when there is anything else in them. */
function namesIn(tokens: readonly SqlToken[], open: number): { names: string[]; end: number } | undefined {
  const names: string[] = [];
  for (let at = open + 1; at < tokens.length; at += 2) {
    const name = nameOf(tokens[at]);
    if (name === undefined) return undefined;
    names.push(name);
    if (isSymbol(tokens[at + 1], ')')) return { names, end: at + 2 };
    if (!isSymbol(tokens[at + 1], ',')) return undefined;
  }
  return undefined;
}

function placesIn(tokens: readonly SqlToken[], open: number): { places: number[]; end: number } | undefined {
  const places: number[] = [];
  for (let at = open + 1; at < tokens.length; at += 2) {
    const token = tokens[at];
    if (token?.kind !== 'parameter') return undefined;
    places.push(token.text.length > 1 ? Number(token.text.slice(1)) - 1 : places.length);
    if (isSymbol(tokens[at + 1], ')')) return { places, end: at + 2 };
    if (!isSymbol(tokens[at + 1], ',')) return undefined;
  }
  return undefined;
}

/**
 * The shape of `insert into t (a, b) values (?, ?) …`; undefined for any other statement. Rows of such a statement can be sent together.
 */
export function insertShape(text: string): InsertShape | undefined {
  const tokens = withoutSpace(sqlTokens(text));
  const ignores = isWord(tokens[1], 'or') && isWord(tokens[2], 'ignore');
  const into = ignores ? 3 : 1;
  if (!isWord(tokens[0], 'insert') || !isWord(tokens[into], 'into')) return undefined;
  const table = nameOf(tokens[into + 1]);
  if (table === undefined || !isSymbol(tokens[into + 2], '(')) return undefined;
  const columns = namesIn(tokens, into + 2);
  if (columns === undefined || !isWord(tokens[columns.end], 'values')) return undefined;
  const values = placesIn(tokens, columns.end + 1);
  if (values === undefined || values.places.length !== columns.names.length) return undefined;
  const rest = tokens.slice(values.end);
  if (rest.some(({ kind }) => kind === 'parameter')) return undefined;
  if (isWord(rest[0], 'returning') || isSymbol(rest[0], ',')) return undefined;
  const conflict = isSymbol(rest[2], '(') ? namesIn(rest, 2)?.names : undefined;
  const tail = rest.map((token) => token.text).join(' ');
  return {
    table,
    columns: columns.names,
    places: values.places,
    conflict,
    rest: ignores ? `on conflict do nothing ${tail}` : tail,
  };
}
