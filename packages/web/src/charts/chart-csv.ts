import { hourMs } from '@lcs/contract';
import type { Points } from './points.ts';

/** A line with the name of its column. */
interface CsvLine {
  readonly name: string;
  readonly points: Points;
}

/** Text of a cell; a spreadsheet must not take it for a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lines as a table: a row for each moment with a reading, a column for each line; hours count from `originMs`. */
export function chartCsv(lines: readonly CsvLine[], originMs: number): string {
  const moments = [...new Set(lines.flatMap(({ points }) => points.x))].sort((one, other) => one - other);
  const next = lines.map(() => 0);
  const rows = moments.map((moment) => {
    const values = lines.map(({ points }, line) => {
      const index = next[line] ?? 0;
      if (points.x[index] !== moment) return '';
      next[line] = index + 1;
      return String(points.y[index]);
    });
    return [new Date(moment).toISOString(), ((moment - originMs) / hourMs).toFixed(5), ...values].join(',');
  });
  return `${[['time_utc', 'elapsed_h', ...lines.map(({ name }) => cell(name))].join(','), ...rows].join('\r\n')}\r\n`;
}
