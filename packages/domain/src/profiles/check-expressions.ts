import type { Json } from '@lcs/contract';
import type { ProfileFinding } from './diagnostic.ts';
import { bracketedExpression, conditionText, expressionsIn } from './expressions/brackets.ts';
import { parseExpression } from './expressions/parse-expression.ts';
import { ExpressionError } from './expressions/tokens.ts';
import type { ProfileAction, ProfileCondition, ProfileValues } from './profile.ts';

type Report = (finding: ProfileFinding) => void;

function checkOne(report: Report, path: string, source: string): void {
  try {
    parseExpression(source);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const message = `The expression is not valid: ${error.message}`;
    const hint = `At character ${error.offset + 1} of: ${source.trim() === '' ? '(empty)' : source}`;
    report({ severity: 'error', code: 'expression.syntax', message, path, hint });
  }
}

function checkCondition(report: Report, path: string, condition: ProfileCondition | null): void {
  if (typeof condition === 'string') checkOne(report, path, conditionText(condition));
}

function checkValue(report: Report, path: string, value: Json | undefined): void {
  const inner = typeof value === 'string' ? bracketedExpression(value) : undefined;
  if (inner !== undefined) checkOne(report, path, inner);
}

function checkValues(report: Report, path: string, values: ProfileValues): void {
  for (const [name, value] of Object.entries(values)) checkValue(report, `${path}.${name}`, value);
}

/** Reports the invalid expressions of an action and of its nested actions. */
export function checkExpressions(report: Report, path: string, action: ProfileAction): void {
  checkCondition(report, `${path}.if`, action.if);
  switch (action.type) {
    case 'start':
      checkValues(report, `${path}.options`, action.options);
      checkValues(report, `${path}.config_overrides`, action.config_overrides);
      break;
    case 'update':
      checkValues(report, `${path}.options`, action.options);
      break;
    case 'log':
      for (const source of expressionsIn(action.options.message)) checkOne(report, `${path}.options.message`, source);
      break;
    case 'repeat':
      checkCondition(report, `${path}.while`, action.while);
      break;
    case 'when':
      checkCondition(report, `${path}.wait_until`, action.wait_until);
      checkCondition(report, `${path}.condition`, action.condition);
      break;
  }
  if (action.type === 'repeat' || action.type === 'when') {
    for (const [index, nested] of action.actions.entries())
      checkExpressions(report, `${path}.actions[${index}]`, nested);
  }
}
