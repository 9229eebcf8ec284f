const whole = /^\s*\$\{\{([\s\S]*)\}\}\s*$/;
const some = /\$\{\{([\s\S]*?)\}\}/g;

/** What stands between `${{` and `}}` when that is the whole text; undefined when it is not. */
export const bracketedExpression = (text: string): string | undefined => {
  const [, inner] = whole.exec(text) ?? [];
  // `${{a}} and ${{b}}` is not one expression.
  return inner?.includes('}}') ? undefined : inner;
};

/** A condition: the brackets may be missing. */
export const conditionText = (text: string): string => bracketedExpression(text) ?? text;

/** The expressions inside a message, in order. */
export const expressionsIn = (message: string): readonly string[] =>
  [...message.matchAll(some)].map(([, inner = '']) => inner);
