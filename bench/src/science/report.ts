import type { ScienceFigure } from './science-case.ts';

/** A figure over all runs of its case. */
export interface Summary {
  readonly name: string;
  readonly unit: string;
  readonly aim: ScienceFigure['aim'];
  readonly runs: number;
  readonly median: number;
  /** The worst value in relation to the aim; without an aim the largest. */
  readonly worst: number;
  /** Share of the runs that met the aim; 1 without one. */
  readonly met: number;
  readonly wantedShare: number;
  readonly isMet: boolean;
}

const usualShare = 0.95;

const meets = (value: number, aim: ScienceFigure['aim']): boolean => {
  if (aim === undefined) return true;
  return 'atMost' in aim ? value <= aim.atMost : value >= aim.atLeast;
};

/** Figures of the same name, one or more for each run. */
export function summaries(runs: readonly (readonly ScienceFigure[])[]): Summary[] {
  const byName = new Map<string, ScienceFigure[]>();
  for (const figure of runs.flat()) byName.set(figure.name, [...(byName.get(figure.name) ?? []), figure]);
  return [...byName].map(([name, figures]) => summaryOf(name, figures));
}

function summaryOf(name: string, figures: readonly ScienceFigure[]): Summary {
  const { unit = '', aim, share: wantedShare = usualShare } = figures[0] ?? {};
  const isLow = aim !== undefined && 'atLeast' in aim;
  // A value that was not reached is the worst.
  const values = figures.map(({ value }) => (Number.isNaN(value) ? (isLow ? -Infinity : Infinity) : value));
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
  const met = values.filter((value) => meets(value, aim)).length / values.length;
  const worst = (isLow ? sorted[0] : sorted.at(-1)) ?? Number.NaN;
  const isMet = met >= wantedShare && meets(median, aim);
  return { name, unit, aim, runs: values.length, median, worst, met, wantedShare, isMet };
}

const shown = (value: number): string => {
  if (!Number.isFinite(value)) return value > 0 ? 'never' : String(value);
  const size = Math.abs(value);
  return value === 0 || (size >= 0.001 && size < 1e6) ? value.toPrecision(3) : value.toExponential(2);
};

const aimText = (aim: ScienceFigure['aim']): string => {
  if (aim === undefined) return '';
  return 'atMost' in aim ? `≤ ${aim.atMost}` : `≥ ${aim.atLeast}`;
};

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** A Markdown table. */
export function scienceTable(all: readonly Summary[]): string {
  const rows = all.map(({ name, unit, aim, runs, median, worst, met, wantedShare, isMet }) => [
    name,
    String(runs),
    `${shown(median)} ${unit}`.trim(),
    `${shown(worst)} ${unit}`.trim(),
    aimText(aim),
    aim === undefined ? '' : `${percent(met)} (required ${percent(wantedShare)})`,
    aim === undefined ? '–' : isMet ? 'met' : 'MISSED',
  ]);
  const head = ['figure', 'runs', 'median', 'worst', 'target', 'runs that meet it', 'result'];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** One case in the report. */
export interface Section {
  readonly name: string;
  readonly text: string;
}

const heads = '| case | figure | runs | median | worst | target | runs that meet it | result |';

/** The figures with a target, of all sections, in one table. */
export function closingTable(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ name, text }) =>
    text
      .split('\n')
      .filter((line) => line.endsWith('| met |') || line.endsWith('| MISSED |'))
      .map((line) => `| ${name} ${line}`),
  );
  return [heads, `|${' --- |'.repeat(8)}`, ...rows].join('\n');
}

/** Numbers of the targets of each section. */
export function targetCounts(
  sections: readonly Section[],
): readonly (readonly [name: string, met: number, missed: number])[] {
  const count = (text: string, result: string) =>
    text.split('\n').filter((line) => line.endsWith(`| ${result} |`)).length;
  return sections.map(({ name, text }) => [name, count(text, 'met'), count(text, 'MISSED')]);
}
