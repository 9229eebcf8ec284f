import type { Json } from '@lcs/contract';
import { bracketedExpression } from './expressions/brackets.ts';
import { EvaluationError, evaluate } from './expressions/evaluate.ts';
import { parseExpression } from './expressions/parse-expression.ts';
import type { ProfileValues } from './profile.ts';

const notKnown = (): never => {
  throw new EvaluationError('It is not known before the run.');
};

/** The value of an option that depends on the inputs only; undefined: it is known during the run. */
export function plannedValue(value: Json | undefined, inputs: ProfileValues): Json | undefined {
  const expression = typeof value === 'string' ? bracketedExpression(value) : undefined;
  if (expression === undefined) return value;
  try {
    return evaluate(parseExpression(expression), {
      unit: '',
      experiment: '',
      job: '',
      actionCount: 0,
      hoursElapsed: Number.NaN,
      inputs,
      random: notKnown,
      published: notKnown,
    });
  } catch (error) {
    if (error instanceof EvaluationError) return undefined;
    throw error;
  }
}
