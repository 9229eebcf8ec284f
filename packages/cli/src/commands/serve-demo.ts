import { resolve } from 'node:path';
import { createDemo, type Demo } from '@lcs/cluster';
import { printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import { nodeLog, readCrashPoint, runNode } from './run-node.ts';
import type { ServeOptions } from './serve-leader.ts';

export interface DemoServeOptions extends ServeOptions {
  readonly units: number;
  readonly pastHours: number;
  readonly speed: number;
  readonly seed: number;
}

function announce(io: ProgramIo, options: DemoServeOptions, { url, mqttUrl, units }: Demo): void {
  if (options.json) {
    printJson(io, { ready: true, url, mqtt: mqttUrl ?? null, units });
    return;
  }
  const simulated = units.length === 0 ? 'no units' : `${units.length} simulated units`;
  io.stdout.write(
    `Leader ready: ${url}   (${simulated}, broker ${mqttUrl ?? 'off'}, data in ${resolve(options.dataDir)})\n`,
  );
  io.stdout.write('Stop with Ctrl-C.\n');
}

/** Runs a leader with simulated units until the process receives a signal to end. */
export async function serveDemo(io: ProgramIo, options: DemoServeOptions): Promise<void> {
  const { name, host, port, units, pastHours, speed, seed } = options;
  const crashAt = readCrashPoint(io);
  const demo = createDemo({
    name,
    dataFolder: resolve(options.dataDir),
    host,
    port,
    ...(options.mqttPort === undefined ? {} : { mqttPort: options.mqttPort }),
    ...(options.brokerUrl === undefined ? {} : { brokerUrl: options.brokerUrl }),
    log: nodeLog(io, options),
    units,
    pastHours,
    speed,
    seed,
    ...(crashAt ? { crashAt } : {}),
  });
  await runNode(io, demo, 'leader', () => announce(io, options, demo));
}
