import { resolve } from 'node:path';
import { createLeaderNode, type LeaderNode } from '@lcs/cluster';
import { printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import { type HostOptions, readHostOptions } from './host-options.ts';
import { type NodeOutput, nodeLog, readCrashPoint, runNode } from './run-node.ts';

export interface ServeOptions extends NodeOutput {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly mqttPort?: number;
  readonly brokerUrl?: string;
  readonly name: string;
}

function announce(io: ProgramIo, options: ServeOptions, node: LeaderNode): void {
  const mqtt = node.mqttUrl ?? null;
  if (options.json) {
    printJson(io, { ready: true, url: node.url, mqtt, units: [] });
    return;
  }
  io.stdout.write(`Leader ready: ${node.url}   (broker ${mqtt ?? 'off'}, data in ${resolve(options.dataDir)})\n`);
  io.stdout.write('Stop with Ctrl-C.\n');
}

/** Runs a leader until the process is asked to end. */
export async function serveLeader(io: ProgramIo, options: ServeOptions & HostOptions): Promise<void> {
  const crashAt = readCrashPoint(io);
  const log = nodeLog(io, options);
  const node = createLeaderNode({
    name: options.name,
    dataFolder: resolve(options.dataDir),
    host: options.host,
    port: options.port,
    ...(options.mqttPort === undefined ? {} : { mqttPort: options.mqttPort }),
    ...(options.brokerUrl === undefined ? {} : { brokerUrl: options.brokerUrl }),
    log,
    ...readHostOptions(options, log),
    ...(crashAt ? { crashAt } : {}),
  });
  await runNode(io, node, 'leader', () => announce(io, options, node));
}
