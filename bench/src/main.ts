import { cpus, totalmem } from 'node:os';
import { experimentsBench } from './experiments-bench.ts';
import { asTable } from './figures.ts';
import { seriesBench } from './series-bench.ts';

const [cpu] = cpus();
const memoryGb = Math.round(totalmem() / 1e9);
process.stdout.write(
  `Node ${process.version}, ${cpus().length} × ${cpu?.model}, ${memoryGb} GB, ${process.platform}\n\n`,
);
process.stdout.write(`${asTable([...(await experimentsBench()), ...(await seriesBench())])}\n`);
