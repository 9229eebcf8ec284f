import { randomInt } from 'node:crypto';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { scienceCases } from './cases.ts';
import { type Plant, plantOf, plants } from './plants.ts';
import { scienceTable, summaries } from './report.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

/**
 * `npm run bench:science -- [--case NAME]… [--seeds N] [--seed SEED]… [--each]`: N development seeds and N drawn now (50 of
 * each when nothing is said); `--seed` repeats single runs (with `off:` before it: those of a plant that is off).
 */
const { values: options } = parseArgs({
  options: {
    case: { type: 'string', multiple: true },
    seeds: { type: 'string' },
    seed: { type: 'string', multiple: true },
    each: { type: 'boolean', default: false },
  },
});

const write = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function wantedCases(): readonly ScienceCase[] {
  const names = options.case ?? scienceCases.map(({ name }) => name);
  return names.map((name) => {
    const found = scienceCases.find((one) => one.name === name);
    if (found === undefined)
      throw new Error(`no such case: ${name}; there are ${scienceCases.map((one) => one.name).join(', ')}`);
    return found;
  });
}

/** Every second run has a plant that is off. */
function wantedPlants(): readonly Plant[] {
  if (options.seed !== undefined)
    return options.seed.map((seed) => plantOf(seed.replace(/^off:/, ''), seed.startsWith('off:')));
  const count = options.seeds === undefined ? plants.seeds.length : Number(options.seeds);
  if (!Number.isInteger(count) || count < 1 || count > plants.seeds.length)
    throw new Error(`--seeds takes a whole number from 1 to ${plants.seeds.length}`);
  const drawn = Array.from({ length: count }, () => `drawn ${randomInt(1, 2 ** 47)}`);
  return [...plants.seeds.slice(0, count), ...drawn].map((seed, index) => plantOf(seed, index % 2 === 1));
}

const nameOf = ({ seed, isOff }: Plant): string => `${isOff ? 'off:' : ''}${seed}`;

async function runsOf(one: ScienceCase, all: readonly Plant[]): Promise<readonly (readonly ScienceFigure[])[]> {
  const runs: (readonly ScienceFigure[])[] = [];
  for (const plant of all) {
    const figures = await one.run(plant);
    runs.push(figures);
    if (options.each)
      write(`${one.name} [${nameOf(plant)}] ${figures.map(({ name, value }) => `${name}=${value}`).join(' ')}`);
  }
  return runs;
}

const all = wantedPlants();
const [cpu] = cpus();
write(`Node ${process.version}, ${cpus().length} × ${cpu?.model}, load ${loadavg()[0]?.toFixed(1)}`);
write(`seeds: ${all.map(nameOf).join(', ')}\n`);
let isAllMet = true;
for (const one of wantedCases()) {
  const startedMs = performance.now();
  const runs = await runsOf(one, all);
  const found = [...summaries(runs), ...summaries([(await one.fixed?.()) ?? []])];
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  write(`## ${one.name}\n\n${one.about} (${seconds} s)\n\n${scienceTable(found)}\n`);
  if (found.some(({ isMet }) => !isMet)) isAllMet = false;
}
write(isAllMet ? 'All targets are met.' : 'Targets were missed.');
process.exitCode = isAllMet ? 0 : 1;
