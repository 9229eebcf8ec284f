import { cpus, totalmem } from 'node:os';
import { accessBench } from './access-bench.ts';
import { archiveBench } from './archive-bench.ts';
import { auditBench } from './audit-bench.ts';
import { experimentsBench } from './experiments-bench.ts';
import { exportBench } from './export-bench.ts';
import { asTable, type Figure } from './figures.ts';
import { fleetBench } from './fleet-bench.ts';
import { heatGuardBench } from './heat-guard-bench.ts';
import { holdsBench, holdsOfManyUnitsBench } from './holds-bench.ts';
import { importBench } from './import-bench.ts';
import { ingestBench } from './ingest-bench.ts';
import { jobStartBench } from './job-start-bench.ts';
import { logsBench } from './logs-bench.ts';
import { manyUnitsBench } from './many-units-bench.ts';
import { memoryBench } from './memory-bench.ts';
import { postgresBench } from './postgres-bench.ts';
import { rehearsalBench } from './rehearsal-bench.ts';
import { seriesBench } from './series-bench.ts';
import { seriesReadBench } from './series-read-bench.ts';
import { unitBench } from './unit-bench.ts';
import { webUiBench } from './web-ui-bench.ts';

/**
 * All, or those named on the command line: `npm run bench -- ingest memory`. Of some a part of the rows can be named behind
 * `=`: `npm run bench -- holds=calibration`.
 */
const benches: Readonly<Record<string, (part: string) => Promise<Figure[]>>> = {
  experiments: experimentsBench,
  access: () => accessBench(),
  archive: archiveBench,
  audit: () => auditBench(),
  series: seriesBench,
  'series-read': seriesReadBench,
  logs: () => logsBench(),
  export: () => exportBench(),
  ingest: () => ingestBench(),
  import: importBench,
  'job-start': jobStartBench,
  'heat-guard': () => heatGuardBench(),
  fleet: fleetBench,
  holds: holdsBench,
  'holds-many-units': holdsOfManyUnitsBench,
  memory: () => memoryBench(),
  postgres: postgresBench,
  rehearsal: rehearsalBench,
  unit: () => unitBench(),
  'many-units': () => manyUnitsBench(),
  'web-ui': webUiBench,
};

const wanted = new Map(
  process.argv.slice(2).map((word) => {
    const [name = '', part = ''] = word.split('=');
    return [name, part] as const;
  }),
);
const unknown = [...wanted.keys()].filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0)
  throw new Error(`no such bench: ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`);

const [cpu] = cpus();
const memoryGb = Math.round(totalmem() / 1e9);
process.stdout.write(
  `Node ${process.version}, ${cpus().length} × ${cpu?.model}, ${memoryGb} GB, ${process.platform}\n\n`,
);
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.size > 0 && !wanted.has(name)) continue;
  const startedMs = performance.now();
  figures.push(...(await bench(wanted.get(name) ?? '')));
  process.stderr.write(`${name}: ${((performance.now() - startedMs) / 1_000).toFixed(0)} s\n`);
}
process.stdout.write(`${asTable(figures)}\n`);
