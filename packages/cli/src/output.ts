import type { ProgramIo } from './program-io.ts';

/** Prints one JSON value on one line. */
export const printJson = (io: ProgramIo, value: unknown): void => {
  io.stdout.write(`${JSON.stringify(value)}\n`);
};

/** Terminal columns that a text takes (wide characters of East Asian scripts take two). */
const columns = (text: string): number => {
  let width = 0;
  for (const character of text)
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/.test(character) ? 2 : 1;
  return width;
};

/** A text without control characters, which could move a terminal's cursor or change its colours. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

/**
 * Prints rows under a heading, each column as wide as its widest cell; without rows the sentence `whenEmpty`, if there is one. Control
 * characters never reach the terminal.
 */
export function printTable(
  io: Pick<ProgramIo, 'stdout'>,
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  whenEmpty?: string,
): void {
  if (rows.length === 0 && whenEmpty !== undefined) {
    io.stdout.write(`${printable(whenEmpty)}\n`);
    return;
  }
  const clean = [heading, ...rows].map((row) => row.map(printable));
  const widths = heading.map((_, index) => Math.max(...clean.map((row) => columns(row[index] ?? ''))));
  for (const row of clean) {
    const line = row.map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - columns(cell))).join('  ');
    io.stdout.write(`${line.trimEnd()}\n`);
  }
}
