/** One piece of a statement; the pieces put together are its text. */
export interface SqlToken {
  readonly kind: 'space' | 'blob' | 'string' | 'name' | 'word' | 'number' | 'parameter' | 'symbol';
  readonly text: string;
}

const kinds = ['space', 'blob', 'string', 'name', 'word', 'number', 'parameter', 'symbol'] as const;

/** Comments count as space. The order of the groups is that of `kinds`. */
const pattern = new RegExp(
  [
    String.raw`(\s+|--[^\n]*|\/\*[\s\S]*?\*\/)`,
    "([xX]'[0-9a-fA-F]*')",
    "('(?:[^']|'')*')",
    '("(?:[^"]|"")*")',
    String.raw`([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)`,
    String.raw`(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)`,
    String.raw`(\?\d*)`,
    String.raw`(\|\||->>|->|<<|>>|<=|>=|<>|!=|==|[\s\S])`,
  ].join('|'),
  'gy',
);

/** Splits a statement of SQLite into its tokens. */
export function sqlTokens(text: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const match of text.matchAll(pattern)) {
    const at = match.slice(1).findIndex((group) => group !== undefined);
    tokens.push({ kind: kinds[at] ?? 'symbol', text: match[0] });
  }
  return tokens;
}

/** The tokens that mean something. */
export const withoutSpace = (tokens: readonly SqlToken[]): SqlToken[] => tokens.filter(({ kind }) => kind !== 'space');

/** Whether the token is this word, in lower case, outside quotation marks. */
export const isWord = (token: SqlToken | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'word' && words.includes(token.text.toLowerCase());

export const isSymbol = (token: SqlToken | undefined, symbol: string): boolean =>
  token?.kind === 'symbol' && token.text === symbol;

/** The name that a token stands for, without its quotation marks. */
export const nameOf = (token: SqlToken | undefined): string | undefined => {
  if (token?.kind === 'name') return token.text.slice(1, -1).replaceAll('""', '"');
  return token?.kind === 'word' ? token.text : undefined;
};

/** The position after the bracket that closes the one at `open`. */
export function afterBracket(tokens: readonly SqlToken[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (isSymbol(tokens[at], '(')) depth += 1;
    if (isSymbol(tokens[at], ')')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return tokens.length;
}
