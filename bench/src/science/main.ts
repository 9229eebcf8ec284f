import { randomInt } from 'node:crypto';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { scienceCases } from './cases.ts';
import { type Plant, plantOf, plants } from './plants.ts';
import { realReport } from './real/real-report.ts';
import { closingTable, type Section, scienceTable, summaries } from './report.ts';
import { Runners } from './run-cases.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';
import { writeDocs } from './science-docs.ts';

/**
 * `npm run bench:science -- [--case NAME]… [--seeds N] [--seed SEED]… [--each] [--workers N] [--write-docs]`: N development
 * seeds and N drawn now (default: 50 of each); `--seed` repeats single runs (with `off:` before it: those of a
 * plant that is off); `--write-docs` writes the results into `docs/science.md`. `--real FOLDER` compares the growth filter with
 * the reference on the measured series of a folder instead; `--write-docs` writes that table, too. The exit code is 1 when a target is missed.
 */
const { values: options } = parseArgs({
  options: {
    case: { type: 'string', multiple: true },
    seeds: { type: 'string' },
    seed: { type: 'string', multiple: true },
    each: { type: 'boolean', default: false },
    workers: { type: 'string' },
    real: { type: 'string' },
    'write-docs': { type: 'boolean', default: false },
  },
});

const write = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function wholeNumber(option: 'seeds' | 'workers', usual: number, most: number): number {
  const given = options[option];
  const count = given === undefined ? usual : Number(given);
  if (!Number.isInteger(count) || count < 1 || count > most)
    throw new Error(`--${option} must be a whole number from 1 to ${most}`);
  return count;
}

function wantedCases(): readonly ScienceCase[] {
  const names = options.case ?? scienceCases.map(({ name }) => name);
  return names.map((name) => {
    const found = scienceCases.find((one) => one.name === name);
    if (found === undefined)
      throw new Error(`unknown case: ${name}; the cases are ${scienceCases.map((one) => one.name).join(', ')}`);
    return found;
  });
}

/** Every second run has a plant that is off. */
function wantedPlants(): readonly Plant[] {
  if (options.seed !== undefined)
    return options.seed.map((seed) => {
      const name = seed.replace(/^off:/, '');
      // As the tables name those that were drawn.
      return plantOf(/^\d+$/.test(name) ? `drawn ${name}` : name, seed.startsWith('off:'));
    });
  const count = wholeNumber('seeds', plants.seeds.length, plants.seeds.length);
  const drawn = Array.from({ length: count }, () => `drawn ${randomInt(1, 2 ** 47)}`);
  return [...plants.seeds.slice(0, count), ...drawn].map((seed, index) => plantOf(seed, index % 2 === 1));
}

const nameOf = ({ seed, isOff }: Plant): string => `${isOff ? 'off:' : ''}${seed}`;

const printed = (one: ScienceCase) => (plant: Plant, figures: readonly ScienceFigure[]) => {
  if (options.each)
    write(`${one.name} [${nameOf(plant)}] ${figures.map(({ name, value }) => `${name}=${value}`).join(' ')}`);
};

async function sectionOf(one: ScienceCase, all: readonly Plant[], runners: Runners): Promise<Section> {
  const runs = await runners.runs(one, all, printed(one));
  const single = [...(one.overall?.(runs) ?? []), ...((await one.fixed?.()) ?? [])];
  const found = [...summaries(runs), ...summaries([single])];
  const drawn = all.map(nameOf).filter((name) => name.includes('drawn'));
  const seeds = `${all.length} runs, seeds drawn: ${drawn.map((name) => name.replace('drawn ', '')).join(', ') || 'none'}.`;
  return { name: one.name, text: `## ${one.name}\n\n${one.about}\n\n${scienceTable(found)}\n\n${seeds}` };
}

async function simulated(): Promise<boolean> {
  const all = wantedPlants();
  const cases = wantedCases();
  const [cpu] = cpus();
  const runners = new Runners(wholeNumber('workers', availableParallelism(), 64));
  write(`Node ${process.version}, ${cpus().length} × ${cpu?.model}, load ${loadavg()[0]?.toFixed(1)}`);
  write(`seeds: ${all.map(nameOf).join(', ')}\n`);
  const sections: Section[] = [];
  try {
    for (const one of cases) {
      const startedMs = performance.now();
      const section = await sectionOf(one, all, runners);
      sections.push(section);
      write(`${section.text} (${((performance.now() - startedMs) / 1000).toFixed(0)} s)\n`);
    }
  } finally {
    runners.stop();
  }
  const closing = closingTable(sections);
  const isAllMet = !closing.includes('| MISSED |');
  write(`## Targets\n\n${closing}\n`);
  write(isAllMet ? 'All targets are met.' : 'Targets were missed.');
  if (options['write-docs']) writeDocs(sections, pageOrder);
  return isAllMet;
}

const measuredSection = 'measured-series';
const pageOrder: readonly string[] = [...scienceCases.map(({ name }) => name), measuredSection];

function measured(folder: string): boolean {
  const { about, text, isAllMet } = realReport(folder);
  write(text);
  if (options['write-docs'])
    writeDocs([{ name: measuredSection, text: `## ${measuredSection}\n\n${about}\n\n${text}` }], pageOrder);
  return isAllMet;
}

const isAllMet = options.real === undefined ? await simulated() : measured(options.real);
process.exitCode = isAllMet ? 0 : 1;
