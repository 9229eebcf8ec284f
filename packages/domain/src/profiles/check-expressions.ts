import type { Json } from '@lcs/contract';
import type { ProfileFinding } from './diagnostic.ts';
import { bracketedExpression, conditionText, expressionsIn } from './expressions/brackets.ts';
import { parseExpression } from './expressions/parse-expression.ts';
import { ExpressionError } from './expressions/tokens.ts';
import type { ProfileAction, ProfileCondition, ProfileValues } from './profile.ts';

type Report = (finding: ProfileFinding) => void;

function checkOne(say: Report, path: string, source: string): void {
  try {
    parseExpression(source);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const message = `The expression is not valid: ${error.message}`;
    const hint = `At character ${error.offset + 1} of: ${source.trim() === '' ? '(empty)' : source}`;
    say({ severity: 'error', code: 'expression.syntax', message, path, hint });
  }
}

function checkCondition(say: Report, path: string, condition: ProfileCondition | null): void {
  if (typeof condition === 'string') checkOne(say, path, conditionText(condition));
}

function checkValue(say: Report, path: string, value: Json | undefined): void {
  const inner = typeof value === 'string' ? bracketedExpression(value) : undefined;
  if (inner !== undefined) checkOne(say, path, inner);
}

function checkValues(say: Report, path: string, values: ProfileValues): void {
  for (const [name, value] of Object.entries(values)) checkValue(say, `${path}.${name}`, value);
}

/** Reports the invalid expressions of an action and of its nested actions. */
export function checkExpressions(say: Report, path: string, action: ProfileAction): void {
  checkCondition(say, `${path}.if`, action.if);
  switch (action.type) {
    case 'start':
      checkValues(say, `${path}.options`, action.options);
      checkValues(say, `${path}.config_overrides`, action.config_overrides);
      break;
    case 'update':
      checkValues(say, `${path}.options`, action.options);
      break;
    case 'log':
      for (const source of expressionsIn(action.options.message)) checkOne(say, `${path}.options.message`, source);
      break;
    case 'repeat':
      checkCondition(say, `${path}.while`, action.while);
      break;
    case 'when':
      checkCondition(say, `${path}.wait_until`, action.wait_until);
      checkCondition(say, `${path}.condition`, action.condition);
      break;
  }
  if (action.type === 'repeat' || action.type === 'when') {
    for (const [index, nested] of action.actions.entries()) checkExpressions(say, `${path}.actions[${index}]`, nested);
  }
}
