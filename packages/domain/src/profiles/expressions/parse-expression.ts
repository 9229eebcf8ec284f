import { type BinaryOperator, type Expression, expressionFunctions } from './expression.ts';
import { ExpressionError, type Token, tokenize } from './tokens.ts';

/** Operators by precedence, lowest first. Comparisons do not associate: `a < b < c` is not valid. */
const levels: readonly (readonly BinaryOperator[])[] = [
  ['or'],
  ['and'],
  ['==', '!=', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];
const comparisonLevel = 2;

/** Much deeper than a profile needs, and small enough for the stack. */
const maxDepth = 100;

const textOf = (token: Token): string => {
  switch (token.kind) {
    case 'end':
      return 'the end';
    case 'number':
    case 'text':
      return `'${token.value}'`;
    case 'word':
      return `'${token.word}'`;
    case 'symbol':
      return `'${token.symbol}'`;
    case 'lookup':
      return `'${token.setting}'`;
  }
};

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#level(0);
    if (this.#token.kind !== 'end') this.#unexpected();
    return expression;
  }

  get #token(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', offset: 0 };
  }

  #unexpected(): never {
    throw new ExpressionError(`${textOf(this.#token)} is not allowed here.`, this.#token.offset);
  }

  /** Consumes the next token if it is one of these symbols or names. */
  #take<Word extends string>(words: readonly Word[]): Word | undefined {
    const token = this.#token;
    const text = token.kind === 'symbol' ? token.symbol : token.kind === 'word' ? token.word : undefined;
    const taken = words.find((one) => one === text);
    if (taken !== undefined) this.#next += 1;
    return taken;
  }

  #expect(symbol: string): void {
    if (this.#take([symbol]) === undefined) this.#unexpected();
  }

  #nested<Result>(work: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new ExpressionError('The expression is nested too deeply.', this.#token.offset);
    const result = work();
    this.#depth -= 1;
    return result;
  }

  #level(level: number): Expression {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    if (level === comparisonLevel && this.#take(['not'])) {
      return { kind: 'unary', operator: 'not', operand: this.#nested(() => this.#level(level)) };
    }
    let left = this.#level(level + 1);
    let operator = this.#take(operators);
    while (operator !== undefined) {
      left = { kind: 'binary', operator, left, right: this.#level(level + 1) };
      const { offset } = this.#token;
      operator = this.#take(operators);
      if (level === comparisonLevel && operator !== undefined)
        throw new ExpressionError(
          'The expression has two comparisons in a row. Put one of them in parentheses.',
          offset,
        );
    }
    return left;
  }

  #unary(): Expression {
    const operator = this.#take(['+', '-'] as const);
    if (operator === undefined) return this.#power();
    return { kind: 'unary', operator, operand: this.#nested(() => this.#unary()) };
  }

  #power(): Expression {
    const left = this.#primary();
    if (this.#take(['**']) === undefined) return left;
    return { kind: 'binary', operator: '**', left, right: this.#nested(() => this.#unary()) };
  }

  #primary(): Expression {
    const token = this.#token;
    if (token.kind === 'symbol' && token.symbol === '(') {
      this.#next += 1;
      const inner = this.#nested(() => this.#level(0));
      this.#expect(')');
      return inner;
    }
    if (token.kind === 'end' || token.kind === 'symbol') this.#unexpected();
    this.#next += 1;
    if (token.kind === 'lookup') {
      const { unit, job, setting, keys } = token;
      return { kind: 'lookup', unit, job, setting, keys };
    }
    return token.kind === 'word' ? this.#word(token) : { kind: 'literal', value: token.value };
  }

  #word(token: Token & { readonly kind: 'word' }): Expression {
    const { word } = token;
    if (this.#take(['('])) return this.#call(token);
    if (['and', 'or', 'not'].includes(word)) throw new ExpressionError(`'${word}' is not allowed here.`, token.offset);
    const lower = word.toLowerCase();
    if (lower === 'true' || lower === 'false') return { kind: 'literal', value: lower === 'true' };
    return { kind: 'name', name: word };
  }

  #call({ word, offset }: Token & { readonly kind: 'word' }): Expression {
    const counts = Object.hasOwn(expressionFunctions, word) ? expressionFunctions[word] : undefined;
    if (counts === undefined) throw new ExpressionError(`The function ${word}() is unknown.`, offset);
    const values: Expression[] = [];
    if (this.#take([')']) === undefined) {
      do values.push(this.#nested(() => this.#level(0)));
      while (this.#take([',']));
      this.#expect(')');
    }
    const [least, most] = counts;
    if (values.length < least || values.length > most) {
      const expected = least === most ? String(least) : `at least ${least}`;
      throw new ExpressionError(`${word}() must have ${expected} arguments, not ${values.length}.`, offset);
    }
    return { kind: 'call', function: word, arguments: values };
  }
}

/** Characters. */
const maxCharacters = 2_000;

/** @throws ExpressionError */
export function parseExpression(source: string): Expression {
  if (source.length > maxCharacters)
    throw new ExpressionError(`The expression must have at most ${maxCharacters} characters.`, 0);
  return new Parser(tokenize(source)).whole();
}
