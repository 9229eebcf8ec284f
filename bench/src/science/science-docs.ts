import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { plants } from './plants.ts';
import { type Section, targetCounts } from './report.ts';

const docsFile = new URL('../../../docs/science.md', import.meta.url);

const startOf = (name: string): string => `<!-- case ${name} -->`;
const end = '<!-- end -->';

/** The latest written section of a case. */
function written(text: string, name: string): string | undefined {
  const from = text.indexOf(startOf(name));
  const until = text.indexOf(end, from);
  return from < 0 || until < 0 ? undefined : text.slice(from + startOf(name).length, until).trim();
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;

const noiseTable = (): string =>
  table(
    ['noise', 'standard deviation of a reading', 'correlated share', 'time constant', 'shocks', 'source'],
    Object.entries(plants.noise).map(([name, noise]) => [
      name,
      percent(noise.readingDeviation),
      percent(noise.slowShare),
      `${noise.slowTimeS} s`,
      `${percent(noise.shockChance)} of the readings, ${noise.shockDeviations} standard deviations`,
      noise.source,
    ]),
  );

const parameterTable = (): string =>
  table(
    ['parameter', 'middle', 'largest offset', 'source'],
    plants.parameters.map(({ name, value, unit, offBy, source }) => [name, `${value} ${unit}`, percent(offBy), source]),
  );

const page = (sections: readonly Section[]): string => `# Accuracy against simulated truth

\`npm run bench:science -- --write-docs\` writes this page; do not edit it. The production jobs, or the production filter, run on virtual
time. Each figure compares them with the true values of the simulator. 50 seeds are fixed; 50 are drawn at each measurement and printed
below. In every second run each parameter of the plant differs from its [middle](#plants) by a random share, evenly distributed up to the
largest offset. Estimators and controllers are designed for the middle.

A target is met if the median and the required share of the runs meet it. \`--case NAME\` runs one case, \`--seeds N\` fewer runs,
\`--seed SEED\` repeats one run, and \`--each\` prints every run. The exit code is 1 if a target is missed.

## Targets

${table(
  ['case', 'targets', 'met'],
  targetCounts(sections).map(([name, met, missed]) => [`[${name}](#${name})`, `${met + missed}`, `${met}`]),
)}

${sections.map(({ name, text }) => `${startOf(name)}\n\n${text}\n\n${end}`).join('\n\n')}

## Noise

${noiseTable()}

Pumps: the volume of a run has a standard deviation of ${percent(plants.pumpNoise.runDeviation)}, and each start loses ${plants.pumpNoise.startDeficitMl} ml (${plants.pumpNoise.source}).

## Plants

${parameterTable()}
`;

/** Writes the sections into the page, in the order of `order`; the sections of other cases stay. */
export function writeDocs(newest: readonly Section[], order: readonly string[]): void {
  const before = existsSync(docsFile) ? readFileSync(docsFile, 'utf8') : '';
  const sections = order.flatMap((name): readonly Section[] => {
    const text = newest.find((section) => section.name === name)?.text ?? written(before, name);
    return text === undefined ? [] : [{ name, text }];
  });
  writeFileSync(docsFile, page(sections));
}
