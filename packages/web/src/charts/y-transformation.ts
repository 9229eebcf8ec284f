const form =
  /^\(?\s*([A-Za-z_$][\w$]*)\s*\)?\s*=>\s*([A-Za-z_$][\w$]*)\s*(?:([*/+-])\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?))?$/;

/**
 * The transformation of a chart descriptor: `(y) => y`, or with one number added, subtracted, multiplied or divided. The text
 * is parsed, never executed; `null`: it has another form.
 */
export function parseTransformation(text: string): ((y: number) => number) | null {
  if (text.trim() === '') return (y) => y;
  const [, parameter, name, operator, numeral] = form.exec(text.trim()) ?? [];
  if (parameter === undefined || parameter !== name) return null;
  const number = Number(numeral);
  switch (operator) {
    case undefined:
      return (y) => y;
    case '*':
      return (y) => y * number;
    case '/':
      return number === 0 ? null : (y) => y / number;
    case '+':
      return (y) => y + number;
    default:
      return (y) => y - number;
  }
}
