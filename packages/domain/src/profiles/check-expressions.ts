import type { ProfileFinding } from './diagnostic.ts';
import { bracketedExpression, conditionText, expressionsIn } from './expressions/brackets.ts';
import { parseExpression } from './expressions/parse-expression.ts';
import { ExpressionError } from './expressions/tokens.ts';
import type { ProfileAction, ProfileCondition, ProfileValues } from './profile.ts';
import { shortened } from './shortened.ts';

type Report = (finding: ProfileFinding) => void;

/** The text of an expression, and the path of the key that has it. */
export interface ExpressionSource {
  readonly path: string;
  readonly source: string;
}

function* ofCondition(path: string, condition: ProfileCondition | null): Generator<ExpressionSource> {
  if (typeof condition === 'string') yield { path, source: conditionText(condition) };
}

function* ofValues(path: string, values: ProfileValues): Generator<ExpressionSource> {
  for (const [name, value] of Object.entries(values)) {
    const inner = typeof value === 'string' ? bracketedExpression(value) : undefined;
    if (inner !== undefined) yield { path: `${path}.${name}`, source: inner };
  }
}

/** The expressions of an action and of its nested actions. */
export function* expressionSources(path: string, action: ProfileAction): Generator<ExpressionSource> {
  yield* ofCondition(`${path}.if`, action.if);
  switch (action.type) {
    case 'start':
      yield* ofValues(`${path}.options`, action.options);
      yield* ofValues(`${path}.config_overrides`, action.config_overrides);
      break;
    case 'update':
      yield* ofValues(`${path}.options`, action.options);
      break;
    case 'log':
      for (const source of expressionsIn(action.options.message)) yield { path: `${path}.options.message`, source };
      break;
    case 'repeat':
      yield* ofCondition(`${path}.while`, action.while);
      break;
    case 'when':
      yield* ofCondition(`${path}.wait_until`, action.wait_until);
      yield* ofCondition(`${path}.condition`, action.condition);
      break;
  }
  if (action.type !== 'repeat' && action.type !== 'when') return;
  for (const [index, nested] of action.actions.entries()) yield* expressionSources(`${path}.actions[${index}]`, nested);
}

/** Reports the invalid expressions of an action and of its nested actions. */
export function checkExpressions(report: Report, path: string, action: ProfileAction): void {
  for (const { path: own, source } of expressionSources(path, action)) {
    try {
      parseExpression(source);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const message = `The expression is not valid: ${error.message}`;
      const hint = `At character ${error.offset + 1} of: ${source.trim() === '' ? '(empty)' : shortened(source)}`;
      report({ severity: 'error', code: 'expression.syntax', message, path: own, hint });
    }
  }
}
