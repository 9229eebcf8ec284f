export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '**' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'and' | 'or';
type UnaryOperator = '+' | '-' | 'not';

/** A unit or job of a look-up: a name, or the current one (`unit()`, `job_name()`) at evaluation. */
export type LookupPart = { readonly is: 'named'; readonly name: string } | { readonly is: 'current' };

/** An expression of a profile, as a tree. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: number | boolean | string }
  /** An input or a variable of the run (`expressionVariables`); any other name is a text. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'call'; readonly function: string; readonly arguments: readonly Expression[] }
  /** The newest value of a setting of a job of a unit, or a part of it. */
  | {
      readonly kind: 'lookup';
      readonly unit: LookupPart;
      readonly job: LookupPart;
      readonly setting: string;
      readonly keys: readonly string[];
    }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    };

export type Lookup = Expression & { readonly kind: 'lookup' };

/**
 * The names of an expression that are not meant as texts: all but those that are compared for equality (`$state == ready`) and the
 * values of `if()`.
 */
export function namesIn(expression: Expression): readonly string[] {
  const found: string[] = [];
  const visit = (each: Expression, mayBeText: boolean): void => {
    if (each.kind === 'name') {
      if (!mayBeText) found.push(each.name);
    } else if (each.kind === 'call')
      for (const [index, argument] of each.arguments.entries()) visit(argument, each.function === 'if' && index > 0);
    else if (each.kind === 'unary') visit(each.operand, false);
    else if (each.kind === 'binary') {
      const isEquality = each.operator === '==' || each.operator === '!=';
      visit(each.left, isEquality);
      visit(each.right, isEquality);
    }
  };
  visit(expression, false);
  return found;
}

/** The look-ups of an expression, also those of branches that are not taken. */
export function lookupsIn(expression: Expression): readonly Lookup[] {
  const found: Lookup[] = [];
  const visit = (each: Expression): void => {
    if (each.kind === 'lookup') found.push(each);
    else if (each.kind === 'call') each.arguments.forEach(visit);
    else if (each.kind === 'unary') visit(each.operand);
    else if (each.kind === 'binary') {
      visit(each.left);
      visit(each.right);
    }
  };
  visit(expression);
  return found;
}

/** The names that each run has; all others are inputs. */
export const expressionVariables = ['unit', 'experiment', 'job_name', 'hours_elapsed', 'action_count'] as const;

/** The functions, with their minimum and maximum number of arguments. */
export const expressionFunctions: Readonly<Record<string, readonly [least: number, most: number]>> = {
  random: [0, 0],
  unit: [0, 0],
  hours_elapsed: [0, 0],
  experiment: [0, 0],
  job_name: [0, 0],
  abs: [1, 1],
  min: [1, Number.POSITIVE_INFINITY],
  max: [1, Number.POSITIVE_INFINITY],
  if: [3, 3],
};
