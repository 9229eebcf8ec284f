import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { plants } from './plants.ts';
import { closingTable, type Section } from './report.ts';

const docsFile = new URL('../../../docs/science.md', import.meta.url);

const startOf = (name: string): string => `<!-- case ${name} -->`;
const end = '<!-- end -->';

/** The section of a case as it was written last. */
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
    ['noise', 'deviation of a reading', 'slow share', 'dies away within', 'shocks', 'source'],
    Object.entries(plants.noise).map(([name, noise]) => [
      name,
      percent(noise.readingDeviation),
      percent(noise.slowShare),
      `${noise.slowTimeS} s`,
      `${percent(noise.shockChance)} of ${noise.shockDeviations} deviations`,
      noise.source,
    ]),
  );

const parameterTable = (): string =>
  table(
    ['parameter', 'middle', 'off by up to', 'source'],
    plants.parameters.map(({ name, value, unit, offBy, source }) => [name, `${value} ${unit}`, percent(offBy), source]),
  );

const page = (sections: readonly Section[]): string => `# Science against ground truth

Written by \`npm run bench:science -- --write-docs\`; do not edit. Every figure is of the real jobs or the real filter on virtual
time, against what is true in the simulator. 50 seeds are fixed, 50 are drawn at run time and printed; in every second run the
plant is off in every parameter, evenly within the share below, and estimators and controllers do not know. A figure is met when
its median and the stated share of the runs meet the target. \`--case NAME\` runs one case, \`--seeds N\` fewer runs, \`--seed\`
repeats one, \`--each\` prints every run; the exit code is 1 when a target is missed.

## Targets

${closingTable(sections)}

${sections.map(({ name, text }) => `${startOf(name)}\n\n${text}\n\n${end}`).join('\n\n')}

## Noise

${noiseTable()}

Pumps: each run is off by ${percent(plants.pumpNoise.runDeviation)} (standard deviation), and ${plants.pumpNoise.startDeficitMl} ml are lost at each start (${plants.pumpNoise.source}).

## Plants

${parameterTable()}
`;

/** Writes the sections into the page; those of other cases stay as they were, in the order of `order`. */
export function writeDocs(newest: readonly Section[], order: readonly string[]): void {
  const before = existsSync(docsFile) ? readFileSync(docsFile, 'utf8') : '';
  const sections = order.flatMap((name): readonly Section[] => {
    const text = newest.find((section) => section.name === name)?.text ?? written(before, name);
    return text === undefined ? [] : [{ name, text }];
  });
  writeFileSync(docsFile, page(sections));
}
