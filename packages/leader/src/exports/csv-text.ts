import type { Cell } from '../datasets/rows/row-source.ts';

/** Below this a number with twelve decimals has at most 15 digits, so that its fixed text is exact. */
const shortestBelow = 1_000;

/** Removes trailing zeros of a number with decimals; one decimal stays. */
function withoutTrailingZeros(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end -= 1;
  if (text.charCodeAt(end - 1) === 46) end += 1;
  return end === text.length ? text : text.slice(0, end);
}

/** Rounded to twelve decimals, the shortest text of it with at least one decimal: `500.0`, `0.021`. */
export function formatReal(value: number): string {
  if (Number.isInteger(value)) {
    const text = String(value === 0 ? 0 : value);
    return text.includes('e') ? text : `${text}.0`;
  }
  if (!Number.isFinite(value)) return '';
  const fixed = value.toFixed(12);
  if (value < shortestBelow && value > -shortestBelow) {
    const text = withoutTrailingZeros(fixed);
    return text === '-0.0' ? '0.0' : text;
  }
  const text = String(Number(fixed));
  return text.includes('.') || text.includes('e') ? text : `${text}.0`;
}

/** A field that contains a separator, a quote or an end of line is quoted. */
const needsQuotes = /[",\r\n]/;

/**
 * Spreadsheets run a text that begins like this as a formula. An apostrophe before it makes it text. A text that begins with an apostrophe
 * gets another one, so that a program that removes one has the original text.
 */
const startsLikeFormula = /^'*[=+\-@\t\r]/;
/** Numbers stay numbers for spreadsheets and programs. */
const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function textField(text: string): string {
  const safe = startsLikeFormula.test(text) && !isNumber.test(text) ? `'${text}` : text;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One field of a row; empty for null. */
export type CellText = (cell: Cell) => string;

const integerText: CellText = (cell) => {
  if (cell === null) return '';
  return typeof cell === 'string' ? textField(cell) : String(cell);
};

const realOrText: CellText = (cell) => {
  if (typeof cell === 'number') return formatReal(cell);
  return cell === null ? '' : anyText(cell);
};

/** // Integers are bigint if the type of a column is unknown. */
const anyText: CellText = (cell) => {
  if (cell === null) return '';
  if (typeof cell === 'string') return textField(cell);
  if (typeof cell === 'number') return formatReal(cell);
  if (typeof cell === 'bigint') return cell.toString();
  return Buffer.from(cell).toString('base64');
};

/** Remembers the last text, because equal texts mostly follow each other. */
function memoizedText(): CellText {
  let known: Cell = null;
  let field = '';
  return (cell) => {
    if (cell !== known) {
      known = cell;
      field = anyText(cell);
    }
    return field;
  };
}

export const cellText = (kind: 'text' | 'integer' | 'real' | 'any'): CellText => {
  if (kind === 'integer') return integerText;
  if (kind === 'real') return realOrText;
  return kind === 'text' ? memoizedText() : anyText;
};

export const endOfRow = '\r\n';

/** Names of columns as the first row. */
export const headerRow = (names: readonly string[]): string => names.map(textField).join(',') + endOfRow;
