import type { LookupPart } from './expression.ts';

/** A text is not a valid expression; `offset`: characters from its beginning. */
export class ExpressionError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.name = 'ExpressionError';
    this.offset = offset;
  }
}

export type Token = { readonly offset: number } & (
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  /** Also `and`, `or`, `not`, `true`, `false`. */
  | { readonly kind: 'word'; readonly word: string }
  | {
      readonly kind: 'lookup';
      readonly unit: LookupPart;
      readonly job: LookupPart;
      readonly setting: string;
      readonly keys: readonly string[];
    }
  | { readonly kind: 'symbol'; readonly symbol: string }
  | { readonly kind: 'end' }
);

const word = '[A-Za-z_$][A-Za-z0-9_]*';
const quoted = `"[^"\\n]*"|'[^'\\n]*'`;
// Before names and texts: `a:b:c` begins like a name, `"a":b:c` like a text.
const lookup = new RegExp(
  `(?:::|(?<unit>${quoted}|unit\\(\\)|${word}):)(?<job>job_name\\(\\)|${word}):(?<setting>${word})(?<keys>(?:\\.[A-Za-z0-9_$]+)*)`,
  'y',
);
const number = /\d+\.\d+|\d+|\.\d+/y;
const text = new RegExp(quoted, 'y');
const name = new RegExp(word, 'y');
const symbol = /\*\*|<=|>=|==|!=|[-+*/%<>(),]/y;
const blanks = /[ \t\r\n]*/y;

function match(pattern: RegExp, source: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(source);
}

const unquoted = (part: string): string => (/^["']/.test(part) ? part.slice(1, -1) : part);

const partOf = (part: string | undefined): LookupPart =>
  part === undefined || part.endsWith('()') ? { is: 'current' } : { is: 'named', name: unquoted(part) };

function tokenAt(source: string, offset: number): { readonly token: Token; readonly length: number } {
  const found = match(lookup, source, offset);
  if (found) {
    const { unit, job, setting = '', keys = '' } = found.groups ?? {};
    const token = { kind: 'lookup', offset, unit: partOf(unit), job: partOf(job), setting } as const;
    return { token: { ...token, keys: keys.split('.').slice(1) }, length: found[0].length };
  }
  const [digits] = match(number, source, offset) ?? [];
  if (digits !== undefined) {
    const after = source[offset + digits.length] ?? '';
    if (/[A-Za-z0-9_$.]/.test(after)) throw new ExpressionError(`'${digits}${after}' is not a valid number.`, offset);
    return { token: { kind: 'number', offset, value: Number(digits) }, length: digits.length };
  }
  const [literal] = match(text, source, offset) ?? [];
  if (literal !== undefined)
    return { token: { kind: 'text', offset, value: unquoted(literal) }, length: literal.length };
  const [found_word] = match(name, source, offset) ?? [];
  if (found_word !== undefined) return { token: { kind: 'word', offset, word: found_word }, length: found_word.length };
  const [sign] = match(symbol, source, offset) ?? [];
  if (sign !== undefined) return { token: { kind: 'symbol', offset, symbol: sign }, length: sign.length };
  const [character = ''] = source.slice(offset);
  throw new ExpressionError(`'${character}' is not allowed here.`, offset);
}

/** Splits an expression into tokens; the last one is the end. @throws ExpressionError */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  for (;;) {
    offset += match(blanks, source, offset)?.[0].length ?? 0;
    if (offset >= source.length) return [...tokens, { kind: 'end', offset }];
    const { token, length } = tokenAt(source, offset);
    tokens.push(token);
    offset += length;
  }
}
