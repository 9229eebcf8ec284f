import type { Cell } from '../datasets/rows/row-source.ts';

/** Up to here a number with twelve decimals has at most 15 digits: such a text is the shortest of its number. */
const shortestBelow = 1_000;

/** Where trailing zeros of a number with decimals begin; one decimal stays. */
function withoutZeros(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end -= 1;
  if (text.charCodeAt(end - 1) === 46) end += 1;
  return end === text.length ? text : text.slice(0, end);
}

/** Rounded to twelve decimals, the shortest text of it with at least one decimal: `500.0`, `0.021`. */
export function realText(value: number): string {
  if (Number.isInteger(value)) {
    const text = String(value === 0 ? 0 : value);
    return text.includes('e') ? text : `${text}.0`;
  }
  if (!Number.isFinite(value)) return '';
  const fixed = value.toFixed(12);
  if (value < shortestBelow && value > -shortestBelow) {
    const text = withoutZeros(fixed);
    return text === '-0.0' ? '0.0' : text;
  }
  const text = String(Number(fixed));
  return text.includes('.') || text.includes('e') ? text : `${text}.0`;
}

/** A field with a separator, a quote or an end of line in it stands in quotes. */
const needsQuotes = /[",\r\n]/;

/**
 * Spreadsheets take a text that begins so for a formula and run it. An apostrophe before it makes it text; one that is there
 * already gets another one, so that a reader that takes one away has what was written.
 */
const asksForFormula = /^'*[=+\-@\t\r]/;
/** Spreadsheets and programs take these for the number that they are. */
const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function textField(text: string): string {
  const safe = asksForFormula.test(text) && !isNumber.test(text) ? `'${text}` : text;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One field of a row; empty for null. */
export type CellText = (cell: Cell) => string;

const integerText: CellText = (cell) => {
  if (cell === null) return '';
  return typeof cell === 'string' ? textField(cell) : String(cell);
};

const realOrText: CellText = (cell) => {
  if (typeof cell === 'number') return realText(cell);
  return cell === null ? '' : anyText(cell);
};

/** Integers are bigint where the kind of a column is not known. */
const anyText: CellText = (cell) => {
  if (cell === null) return '';
  if (typeof cell === 'string') return textField(cell);
  if (typeof cell === 'number') return realText(cell);
  if (typeof cell === 'bigint') return cell.toString();
  return Buffer.from(cell).toString('base64');
};

/** The same text mostly comes many times in a row. */
function plainText(): CellText {
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
  return kind === 'text' ? plainText() : anyText;
};

export const endOfRow = '\r\n';

/** Names of columns as the first row. */
export const headerRow = (names: readonly string[]): string => names.map(textField).join(',') + endOfRow;
