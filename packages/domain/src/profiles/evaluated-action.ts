import { isObject, type Json } from '@lcs/contract/json';
import { bracketedExpression, conditionText, expressionsIn, replaceExpressions } from './expressions/brackets.ts';
import { type ExpressionScope, evaluate, isTruthy, type PublishedOf, publishedIn } from './expressions/evaluate.ts';
import { parseExpression } from './expressions/parse-expression.ts';
import type { BasicAction, ProfileCondition, ProfileValues } from './profile.ts';

/** The expressions of a valid profile. */
const sourcesIn = (values: ProfileValues): readonly string[] =>
  Object.values(values).flatMap((value) => {
    const inner = typeof value === 'string' ? bracketedExpression(value) : undefined;
    return inner === undefined ? [] : [inner];
  });

/** The expressions in the values of an action, without its condition. */
function valueSources(action: BasicAction): readonly string[] {
  if (action.type === 'start') return [...sourcesIn(action.options), ...sourcesIn(action.config_overrides)];
  if (action.type === 'update') return sourcesIn(action.options);
  return action.type === 'log' ? expressionsIn(action.options.message) : [];
}

const conditionSources = (conditions: readonly (ProfileCondition | null)[]): readonly string[] =>
  conditions.flatMap((each) => (typeof each === 'string' ? [conditionText(each)] : []));

/** Whether an action has values that are known only when it is due. */
export const hasExpressions = (action: BasicAction): boolean =>
  typeof action.if === 'string' || valueSources(action).length > 0;

const publishedOf = (
  sources: readonly string[],
  current: Pick<ExpressionScope, 'unit' | 'job'>,
): readonly PublishedOf[] => sources.flatMap((source) => publishedIn(parseExpression(source), current));

/** The jobs that the condition and the values of an action read. */
export const readByAction = (
  action: BasicAction,
  current: Pick<ExpressionScope, 'unit' | 'job'>,
): readonly PublishedOf[] => publishedOf([...conditionSources([action.if]), ...valueSources(action)], current);

/** The jobs that these conditions read. */
export const readByConditions = (
  conditions: readonly (ProfileCondition | null)[],
  current: Pick<ExpressionScope, 'unit' | 'job'>,
): readonly PublishedOf[] => publishedOf(conditionSources(conditions), current);

/** @throws EvaluationError */
export const holds = (condition: ProfileCondition, scope: ExpressionScope): boolean =>
  typeof condition === 'boolean' ? condition : isTruthy(evaluate(parseExpression(conditionText(condition)), scope));

function evaluatedValues(values: ProfileValues, scope: ExpressionScope): ProfileValues {
  const evaluated = (value: Json): Json => {
    const inner = typeof value === 'string' ? bracketedExpression(value) : undefined;
    return inner === undefined ? value : evaluate(parseExpression(inner), scope);
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, evaluated(value)]));
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The action with its expressions replaced by their values; null: its condition does not hold. @throws EvaluationError */
export function evaluatedAction(action: BasicAction, scope: ExpressionScope): BasicAction | null {
  if (!holds(action.if, scope)) return null;
  switch (action.type) {
    case 'start':
      return {
        ...action,
        if: true,
        options: evaluatedValues(action.options, scope),
        config_overrides: evaluatedValues(action.config_overrides, scope),
      };
    case 'update':
      return { ...action, if: true, options: evaluatedValues(action.options, scope) };
    case 'log': {
      const { message, level } = action.options;
      const replaced = replaceExpressions(message, (source) => textOf(evaluate(parseExpression(source), scope)));
      return { ...action, if: true, options: { message: replaced, level } };
    }
    default:
      return { ...action, if: true };
  }
}

/** The values of the expressions of an evaluated action, to be stored. */
export function valuesOf(action: BasicAction): Json {
  if (action.type === 'start')
    return { options: { ...action.options }, config_overrides: { ...action.config_overrides } };
  return action.type === 'update' ? { options: { ...action.options } } : {};
}

/** The evaluated action, from its stored values. */
export function actionWithValues(action: BasicAction, values: Json): BasicAction {
  const part = (name: string): ProfileValues => {
    const stored = isObject(values) && Object.hasOwn(values, name) ? values[name] : undefined;
    return isObject(stored) ? stored : {};
  };
  if (action.type === 'start')
    return { ...action, if: true, options: part('options'), config_overrides: part('config_overrides') };
  return action.type === 'update' ? { ...action, if: true, options: part('options') } : { ...action, if: true };
}
