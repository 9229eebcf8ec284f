import { resolve } from 'node:path';
import { createIngestNode } from '@lcs/cluster';
import { printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import { type NodeOutput, nodeLog, runNode } from './run-node.ts';

export interface IngestOptions extends NodeOutput {
  readonly database: string;
  readonly dataDir: string;
}

/** Runs an ingest process until it receives a signal to end, or another one has its units. */
export async function serveIngest(io: ProgramIo, options: IngestOptions): Promise<void> {
  const { database, dataDir, json } = options;
  const node = createIngestNode({ database, dataFolder: resolve(dataDir), log: nodeLog(io, options) });
  // Without stopping anything: it must not store or wait.
  void node.failed.then(() => io.exit(1));
  await runNode(io, node, 'ingest process', () => {
    if (json) printJson(io, { ready: true, url: null, mqtt: null, units: [] });
    else io.stdout.write('Ready: reads units for the active process\n');
  });
}
