import { StoreError } from '../store-error.ts';
import { identifier } from './identifier.ts';
import { afterBracket, isSymbol, isWord, nameOf, type SqlToken, sqlTokens, withoutSpace } from './sql-tokens.ts';

/**
 * A query that a person wrote is run with the rights of the program. PostgreSQL has no authorizer as SQLite has, and a role does not confine
 * it either: functions change the role, and others run the text that they are given. So the text itself is checked, and sent as its
 * tokens, separated by blanks: what was checked is what the server reads. It may use the public views, which the search path has, and the
 * functions listed here.
 */

/** Functions without access to anything but their arguments, in the schemas `pg_catalog` and `sqlite`. */
const functions: ReadonlySet<string> = new Set([
  ...['count', 'sum', 'avg', 'min', 'max', 'group_concat', 'string_agg', 'stddev', 'stddev_samp', 'stddev_pop'],
  ...['variance', 'var_samp', 'var_pop', 'corr', 'regr_slope', 'regr_intercept', 'regr_r2'],
  ...['row_number', 'rank', 'dense_rank', 'percent_rank', 'cume_dist', 'ntile', 'lag', 'lead', 'first_value'],
  ...['last_value', 'nth_value', 'percentile_cont', 'percentile_disc', 'mode'],
  ...[
    'abs',
    'round',
    'floor',
    'ceil',
    'ceiling',
    'trunc',
    'sign',
    'mod',
    'sqrt',
    'exp',
    'ln',
    'log',
    'log10',
    'pow',
    'power',
  ],
  ...[
    'sin',
    'cos',
    'tan',
    'asin',
    'acos',
    'atan',
    'atan2',
    'sinh',
    'cosh',
    'tanh',
    'pi',
    'degrees',
    'radians',
    'random',
  ],
  ...['coalesce', 'ifnull', 'nullif', 'iif', 'greatest', 'least', 'typeof'],
  ...[
    'length',
    'lower',
    'upper',
    'substr',
    'substring',
    'trim',
    'ltrim',
    'rtrim',
    'replace',
    'instr',
    'hex',
    'unicode',
  ],
  ...['json_extract', 'json_type', 'json_each', 'base64', 'to_base64'],
  ...['date', 'time', 'datetime', 'julianday', 'unixepoch', 'strftime', 'date_trunc', 'extract'],
]);

/** Words that an opening bracket may follow and that call nothing. */
const wordsBeforeBracket: ReadonlySet<string> = new Set([
  ...['select', 'distinct', 'all', 'from', 'join', 'on', 'using', 'where', 'having', 'by', 'limit', 'offset', 'as'],
  ...[
    'materialized',
    'union',
    'except',
    'intersect',
    'and',
    'or',
    'not',
    'in',
    'is',
    'like',
    'between',
    'exists',
    'values',
  ],
  ...['case', 'when', 'then', 'else', 'over', 'filter', 'cast', 'group', 'partition', 'lateral', 'escape'],
  ...['varchar', 'decimal', 'numeric'],
]);

const symbols: ReadonlySet<string> = new Set([
  ...[
    '(',
    ')',
    ',',
    '.',
    '+',
    '-',
    '*',
    '/',
    '%',
    '<',
    '>',
    '=',
    '<=',
    '>=',
    '<>',
    '!=',
    '==',
    '||',
    '->>',
    '<<',
    '>>',
    '&',
    '|',
    '~',
  ],
]);

const refused = (reason: string): StoreError => new StoreError('query_failed', reason);

/** @throws StoreError for tokens that the two engines, or this program and the server, could read in different ways */
function checkTokens(all: readonly SqlToken[]): void {
  for (const [index, token] of all.entries()) {
    const next = all[index + 1];
    const isBesideWord = next?.kind === 'word' || next?.kind === 'name';
    if (token.kind === 'symbol' && !symbols.has(token.text)) throw refused(`near "${token.text}": syntax error`);
    if (token.kind === 'parameter') throw refused('it has a parameter');
    if (token.kind === 'word' && next?.kind === 'string')
      throw refused(`near "${token.text}${next.text}": syntax error`);
    if (token.kind === 'number' && isBesideWord) throw refused(`near "${token.text}${next.text}": syntax error`);
  }
}

/** @throws StoreError when brackets do not match */
function checkBrackets(tokens: readonly SqlToken[]): void {
  let depth = 0;
  for (const token of tokens) {
    if (isSymbol(token, '(')) depth += 1;
    if (isSymbol(token, ')')) depth -= 1;
    if (depth < 0) break;
  }
  if (depth !== 0) throw refused('its brackets do not match');
}

/** The positions of the names of table expressions (`with name (columns) as (…), …`): columns may follow them in brackets. */
function tableExpressions(tokens: readonly SqlToken[]): ReadonlySet<number> {
  const names = new Set<number>();
  for (let start = 0; start < tokens.length; start += 1) {
    if (!isWord(tokens[start], 'with')) continue;
    let at = start + (isWord(tokens[start + 1], 'recursive') ? 2 : 1);
    for (;;) {
      const name = at;
      if (nameOf(tokens[name]) === undefined) break;
      at = isSymbol(tokens[at + 1], '(') ? afterBracket(tokens, at + 1) : at + 1;
      if (!isWord(tokens[at], 'as')) break;
      at += 1;
      if (isWord(tokens[at], 'not')) at += 1;
      if (isWord(tokens[at], 'materialized')) at += 1;
      if (!isSymbol(tokens[at], '(')) break;
      names.add(name);
      at = afterBracket(tokens, at);
      if (!isSymbol(tokens[at], ',')) break;
      at += 1;
    }
  }
  return names;
}

/** Names of tables and columns that people gave, with capitals: PostgreSQL would read them in lower case. */
function aliasesWithCapitals(tokens: readonly SqlToken[]): ReadonlySet<string> {
  const aliases = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const follows = isWord(tokens[at - 1], 'as') && !isSymbol(tokens[at + 1], '(');
    if (token.kind === 'word' && follows && !isTypeOfCast(tokens, at)) aliases.add(token.text);
  }
  return new Set([...aliases].filter((alias) => alias !== alias.toLowerCase()));
}

/** Whether the word is the type in `cast(… as type)`: the bracket that closes after it belongs to a cast. */
function isTypeOfCast(tokens: readonly SqlToken[], at: number): boolean {
  let depth = 0;
  for (let before = at; before >= 0; before -= 1) {
    if (isSymbol(tokens[before], ')')) depth += 1;
    if (!isSymbol(tokens[before], '(')) continue;
    if (depth === 0) return isWord(tokens[before - 1], 'cast');
    depth -= 1;
  }
  return false;
}

/** The position of the last token of the term of an `order by` that begins here. */
function endOfTerm(tokens: readonly SqlToken[], from: number): number {
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (isSymbol(token, '(')) at = afterBracket(tokens, at) - 1;
    else if (isSymbol(token, ')') || isSymbol(token, ',')) return at;
    else if (isWord(token, 'limit', 'offset', 'rows', 'range', 'groups', 'union', 'except', 'intersect')) return at;
  }
  return tokens.length;
}

/** The tokens with the order of nulls that SQLite has. */
function withOrderOfNulls(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const additions = new Map<number, string>();
  for (let at = 0; at < tokens.length; at += 1) {
    if (!isWord(tokens[at], 'order') || !isWord(tokens[at + 1], 'by')) continue;
    let start = at + 2;
    for (;;) {
      const end = endOfTerm(tokens, start);
      const term = tokens.slice(start, end);
      if (!term.some((token) => isWord(token, 'nulls')))
        additions.set(end, isWord(term.at(-1), 'desc') ? 'nulls last' : 'nulls first');
      if (!isSymbol(tokens[end], ',')) break;
      start = end + 1;
    }
  }
  const added: SqlToken[] = [];
  for (let at = 0; at <= tokens.length; at += 1) {
    const addition = additions.get(at);
    if (addition !== undefined) added.push({ kind: 'word', text: addition });
    const token = tokens[at];
    if (token !== undefined) added.push(token);
  }
  return added;
}

/**
 * The query of a person, in the same dialect, if it can read nothing but the public views.
 * @throws StoreError `query_failed`
 */
export function foreignQuery(text: string, schemas: ReadonlySet<string>): string {
  const trimmed = text.trim().replace(/;\s*$/, '');
  const all = sqlTokens(trimmed);
  checkTokens(all);
  const tokens = withoutSpace(all);
  if (!isWord(tokens[0], 'select', 'with', 'values')) throw refused('it is no SELECT');
  checkBrackets(tokens);
  const expressions = tableExpressions(tokens);
  const aliases = aliasesWithCapitals(tokens);
  const kept: SqlToken[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const name = nameOf(token);
    if (name === undefined) {
      kept.push(token);
      continue;
    }
    const folded = token.kind === 'word' ? name.toLowerCase() : name;
    const isQualifier = isSymbol(tokens[at + 1], '.');
    // The views are all that these two have.
    if (isQualifier && (folded === 'main' || folded === 'temp')) {
      at += 1;
      continue;
    }
    if (/^(?:pg|sqlite|pragma)_/.test(folded) || (isQualifier && schemas.has(folded)))
      throw refused(`access to ${name} is prohibited`);
    if (isSymbol(tokens[at + 1], '(') && !expressions.has(at)) {
      const isKnown = functions.has(folded) || (token.kind === 'word' && wordsBeforeBracket.has(folded));
      if (!isKnown) throw refused(`the function ${name} is not available`);
    }
    if (token.kind === 'name') kept.push(token);
    else kept.push(aliases.has(name) ? { kind: 'name', text: identifier(name) } : { kind: 'word', text: folded });
  }
  return withOrderOfNulls(kept)
    .map((token) => token.text)
    .join(' ');
}
