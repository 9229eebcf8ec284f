import { resolve } from 'node:path';
import { type ApiNodeOptions, createApiNode } from '@lcs/cluster';
import { StartupError } from '@lcs/platform';
import { printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import { type NodeOutput, nodeLog, runNode } from './run-node.ts';

export interface ApiOptions extends NodeOutput {
  readonly database: string;
  readonly host: string;
  readonly port: number;
  readonly names: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly tlsCertificate?: string;
  readonly tlsKey?: string;
}

/** @throws StartupError */
function certificateOf({ tlsCertificate, tlsKey }: ApiOptions): Pick<ApiNodeOptions, 'certificatePaths'> {
  if (tlsCertificate === undefined && tlsKey === undefined) return {};
  if (tlsCertificate === undefined || tlsKey === undefined)
    throw new StartupError('--tls-certificate and --tls-key belong together: name both files.');
  return { certificatePaths: { certificate: resolve(tlsCertificate), key: resolve(tlsKey) } };
}

/** Runs an api process until it receives a signal to end. */
export async function serveApi(io: ProgramIo, options: ApiOptions): Promise<void> {
  const { database, host, port, names, trustedProxies, json } = options;
  const log = nodeLog(io, options);
  const node = createApiNode({ database, host, port, names, trustedProxies, log, ...certificateOf(options) });
  await runNode(io, node, 'api process', () => {
    if (json) printJson(io, { ready: true, url: node.url, mqtt: null, units: [] });
    else io.stdout.write(`Ready: ${node.url}   (answered by the active process)\n`);
  });
}
