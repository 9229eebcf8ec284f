import { resolve } from 'node:path';
import { createLeaderNode, type LeaderNode, type LeaderNodeOptions } from '@lcs/cluster';
import { printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import {
  type BoardOptions,
  type leaderBoards,
  linuxChoice,
  type SimulationOptions,
  simulatedChoice,
} from './board-options.ts';
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

export interface LeaderOptions
  extends ServeOptions,
    HostOptions,
    SimulationOptions,
    Pick<BoardOptions, 'boardVersion' | 'i2cBus'> {
  readonly board: (typeof leaderBoards)[number];
}

function boardOf(options: LeaderOptions): Pick<LeaderNodeOptions, 'board'> {
  if (options.board === 'none') return {};
  return { board: options.board === 'linux' ? linuxChoice(options) : simulatedChoice(options) };
}

function announce(io: ProgramIo, options: LeaderOptions, node: LeaderNode): void {
  const mqtt = node.mqttUrl ?? null;
  if (options.json) {
    const units = options.board === 'none' ? [] : [{ name: node.name, url: node.url }];
    printJson(io, { ready: true, url: node.url, mqtt, units });
    return;
  }
  const board = options.board === 'none' ? '' : `, ${options.board === 'linux' ? 'real' : 'simulated'} board`;
  const facts = `broker ${mqtt ?? 'off'}${board}, data in ${resolve(options.dataDir)}`;
  io.stdout.write(`Leader ready: ${node.url}   (${facts})\n`);
  io.stdout.write('Stop with Ctrl-C.\n');
}

/** Runs a leader until the process receives a signal to end. */
export async function serveLeader(io: ProgramIo, options: LeaderOptions): Promise<void> {
  const crashAt = readCrashPoint(io);
  const log = nodeLog(io, options);
  const node = createLeaderNode({
    name: options.name,
    dataFolder: resolve(options.dataDir),
    host: options.host,
    port: options.port,
    ...(options.mqttPort === undefined ? {} : { mqttPort: options.mqttPort }),
    ...(options.brokerUrl === undefined ? {} : { brokerUrl: options.brokerUrl }),
    ...boardOf(options),
    log,
    ...readHostOptions(options, log),
    ...(crashAt ? { crashAt } : {}),
  });
  await runNode(io, node, 'leader', () => announce(io, options, node));
}
