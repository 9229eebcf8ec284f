const whole = /^\s*\$\{\{([\s\S]*)\}\}\s*$/;
// An opening without its end is left as it is; the search looks at each character once.
const some = /\$\{\{((?:(?!\$\{\{|\}\})[\s\S])*)\}\}/g;

/** The text between `${{` and `}}` when they enclose the whole text; otherwise undefined. */
export const bracketedExpression = (text: string): string | undefined => {
  const [, inner] = whole.exec(text) ?? [];
  // `${{a}} and ${{b}}` is not one expression.
  return inner?.includes('}}') ? undefined : inner;
};

/** The expression of a condition, with or without brackets. */
export const conditionText = (text: string): string => bracketedExpression(text) ?? text;

/** The expressions inside a message, in order. */
export const expressionsIn = (message: string): readonly string[] =>
  [...message.matchAll(some)].map(([, inner = '']) => inner);

/** The message with each of its expressions replaced. */
export const replaceExpressions = (message: string, replace: (expression: string) => string): string =>
  message.replaceAll(some, (_, inner: string) => replace(inner));
