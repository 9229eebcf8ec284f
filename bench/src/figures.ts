/** One measured figure beside what it aims at. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly aim?: { readonly atLeast?: number; readonly atMost?: number };
  /** What bounds it on this machine, measured in the same run where possible. */
  readonly limit?: string;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

const round = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2));

function verdict({ value, aim }: Figure): string {
  if (!aim) return '';
  const met = value >= (aim.atLeast ?? -Infinity) && value <= (aim.atMost ?? Infinity);
  const text = aim.atLeast === undefined ? `≤ ${aim.atMost}` : `≥ ${aim.atLeast}`;
  return `${text} ${met ? 'met' : 'MISSED'}`;
}

/** The figures as a Markdown table, so that it can be quoted as it is. */
export function asTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${round(figure.value)} ${figure.unit}`,
    verdict(figure),
    figure.limit ?? '',
  ]);
  return [['figure', 'measured', 'aim', 'limit'], ['---', '---', '---', '---'], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
