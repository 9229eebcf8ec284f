import { isObject, type Json } from '@lcs/contract/json';
import { ownValue } from '@lcs/contract/own-value';
import {
  type BinaryOperator,
  type Expression,
  type expressionVariables,
  type LookupPart,
  lookupsIn,
} from './expression.ts';

/** An expression cannot be evaluated at the moment: a value is missing, or has the wrong type. */
export class EvaluationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EvaluationError';
  }
}

/** What an expression knows where it is evaluated. */
export interface ExpressionScope {
  readonly unit: string;
  readonly experiment: string;
  readonly job: string;
  /** Since the start of the profile. */
  readonly hoursElapsed: number;
  /** Actions of the run that are done. */
  readonly actionCount: number;
  readonly inputs: Readonly<Record<string, Json>>;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** What a job publishes. @throws EvaluationError */
  readonly published: (unit: string, job: string) => Readonly<Record<string, Json>>;
}

type Scalar = number | boolean | string;

const kindOf = (value: Json): string => {
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'string') return `the text '${value}'`;
  if (typeof value === 'boolean') return String(value);
  return value === null ? 'an empty value' : 'a structured value';
};

/** 0, an empty text, false and null are false; any word is true. */
export const isTruthy = (value: Json): boolean =>
  typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
    ? Boolean(value)
    : value !== null;

function numberOf(value: Json, where: string): number {
  if (typeof value === 'number') return value;
  throw new EvaluationError(`${where} needs a number, and got ${kindOf(value)}.`);
}

function finite(value: number, where: string): number {
  if (Number.isFinite(value)) return value;
  throw new EvaluationError(`${where} has no finite result.`);
}

const named = (part: LookupPart, current: string): string => (part.is === 'named' ? part.name : current);

/** The job of a unit whose published values an expression reads. */
export interface PublishedOf {
  readonly unit: string;
  readonly job: string;
}

/** The jobs that an expression reads, each once; those of branches that are not taken are among them. */
export function publishedIn(
  expression: Expression,
  current: Pick<ExpressionScope, 'unit' | 'job'>,
): readonly PublishedOf[] {
  const found = new Map<string, PublishedOf>();
  for (const { unit, job } of lookupsIn(expression)) {
    const read = { unit: named(unit, current.unit), job: named(job, current.job) };
    found.set(`${read.unit}:${read.job}`, read);
  }
  return [...found.values()];
}

const arithmetic: Readonly<Partial<Record<BinaryOperator, (left: number, right: number) => number>>> = {
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  // The sign of the divisor, as in the language of similar systems.
  '%': (left, right) => left - right * Math.floor(left / right),
  '**': (left, right) => left ** right,
};

function compared(operator: '<' | '<=' | '>' | '>=', left: Json, right: Json): boolean {
  const bothTexts = typeof left === 'string' && typeof right === 'string';
  if (!bothTexts && (typeof left !== 'number' || typeof right !== 'number'))
    throw new EvaluationError(
      `${operator} compares two numbers or two texts, not ${kindOf(left)} and ${kindOf(right)}.`,
    );
  const order = left < right ? -1 : left > right ? 1 : 0;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

function isEqual(left: Json, right: Json): boolean {
  const structured = typeof left === 'object' && left !== null && typeof right === 'object' && right !== null;
  return structured ? JSON.stringify(left) === JSON.stringify(right) : left === right;
}

class Evaluation {
  readonly #scope: ExpressionScope;

  constructor(scope: ExpressionScope) {
    this.#scope = scope;
  }

  value(expression: Expression): Json {
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'name':
        return this.#name(expression.name);
      case 'call':
        return this.#call(expression.function, expression.arguments);
      case 'lookup':
        return this.#lookup(expression);
      case 'unary':
        return this.#unary(expression);
      case 'binary':
        return this.#binary(expression);
    }
  }

  #name(name: string): Json {
    const { inputs, unit, experiment, job, hoursElapsed, actionCount } = this.#scope;
    if (Object.hasOwn(inputs, name)) return inputs[name] ?? null;
    const variables: Readonly<Record<(typeof expressionVariables)[number], Scalar>> = {
      unit,
      experiment,
      job_name: job,
      hours_elapsed: hoursElapsed,
      action_count: actionCount,
    };
    return ownValue<Scalar>(variables, name) ?? name;
  }

  #call(name: string, values: readonly Expression[]): Json {
    const { unit, experiment, job, hoursElapsed, random } = this.#scope;
    const numbers = () => values.map((each) => numberOf(this.value(each), `${name}()`));
    const [first, second, third] = values;
    switch (name) {
      case 'random':
        return random();
      case 'unit':
        return unit;
      case 'experiment':
        return experiment;
      case 'job_name':
        return job;
      case 'hours_elapsed':
        return hoursElapsed;
      case 'abs':
        return Math.abs(numbers()[0] ?? 0);
      case 'min':
        return Math.min(...numbers());
      case 'max':
        return Math.max(...numbers());
      default: {
        // `if`: only the branch that is taken is evaluated.
        const taken = first !== undefined && isTruthy(this.value(first)) ? second : third;
        return taken === undefined ? null : this.value(taken);
      }
    }
  }

  #lookup({ unit, job, setting, keys }: Expression & { readonly kind: 'lookup' }): Json {
    const names = { unit: named(unit, this.#scope.unit), job: named(job, this.#scope.job) };
    const where = `${names.unit}:${names.job}:${setting}`;
    const published = this.#scope.published(names.unit, names.job);
    if (!Object.hasOwn(published, setting)) throw new EvaluationError(`${where} does not exist.`);
    let value: Json = published[setting] ?? null;
    for (const key of keys) {
      if (!isObject(value)) throw new EvaluationError(`${where} has no part '${key}': it is ${kindOf(value)}.`);
      const part: Json | undefined = Object.hasOwn(value, key) ? value[key] : undefined;
      if (part === undefined)
        throw new EvaluationError(`${where} has no part '${key}'. It has: ${Object.keys(value).join(', ')}.`);
      value = part;
    }
    return value;
  }

  #unary({ operator, operand }: Expression & { readonly kind: 'unary' }): Scalar {
    const value = this.value(operand);
    if (operator === 'not') return !isTruthy(value);
    const number = numberOf(value, `The sign ${operator}`);
    return operator === '-' ? -number : number;
  }

  #binary({ operator, left, right }: Expression & { readonly kind: 'binary' }): Json {
    const first = this.value(left);
    if (operator === 'and') return isTruthy(first) ? this.value(right) : first;
    if (operator === 'or') return isTruthy(first) ? first : this.value(right);
    const second = this.value(right);
    switch (operator) {
      case '==':
        return isEqual(first, second);
      case '!=':
        return !isEqual(first, second);
      case '<':
      case '<=':
      case '>':
      case '>=':
        return compared(operator, first, second);
      case '+':
        if (typeof first === 'string' && typeof second === 'string') return first + second;
        return finite(numberOf(first, '+') + numberOf(second, '+'), '+');
      default: {
        const [a, b] = [numberOf(first, operator), numberOf(second, operator)];
        if ((operator === '/' || operator === '%') && b === 0) throw new EvaluationError('Division by zero.');
        return finite(arithmetic[operator]?.(a, b) ?? Number.NaN, operator);
      }
    }
  }
}

/** The value of an expression. `and`, `or` and `if()` evaluate only what they need. @throws EvaluationError */
export const evaluate = (expression: Expression, scope: ExpressionScope): Json =>
  new Evaluation(scope).value(expression);
