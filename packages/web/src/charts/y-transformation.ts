const form =
  /^\(?\s*([A-Za-z_$][\w$]*)\s*\)?\s*=>\s*([A-Za-z_$][\w$]*)\s*(?:([*/+-])\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?))?$/;

/**
 * The function that a chart descriptor names for its values: `(y) => y`, or with one number added, subtracted, multiplied or
 * divided. It is read, never executed; `null`: not understood.
 */
export function readTransformation(text: string): ((y: number) => number) | null {
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
