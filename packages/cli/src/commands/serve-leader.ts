import { hostname } from 'node:os';
import { resolve } from 'node:path';
import {
  type ControlNode,
  createControlNode,
  createLeaderNode,
  type LeaderNode,
  type LeaderNodeOptions,
} from '@lcs/cluster';
import { isLoopback, type Log, StartupError } from '@lcs/platform';
import { takeMemoryRank } from '@lcs/platform/memory-rank';
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
  readonly mqttTlsPort?: number;
  readonly database?: string;
  readonly tlsCertificate?: string;
  readonly tlsKey?: string;
}

/** It has no board: units are other machines. */
export type ControlOptions = Omit<LeaderOptions, 'board'>;

function boardOf(options: LeaderOptions): Pick<LeaderNodeOptions, 'board'> {
  if (options.board === 'none') return {};
  return { board: options.board === 'linux' ? linuxChoice(options) : simulatedChoice(options) };
}

/** @throws StartupError */
function databaseOf({ database }: LeaderOptions): Pick<LeaderNodeOptions, 'database'> {
  if (database === undefined) return {};
  if (/^postgres(ql)?:\/\//.test(database)) return { database };
  throw new StartupError('--database must be an address such as postgres://lcs@db.example.org/lcs.');
}

/** @throws StartupError */
function certificateOf({ tlsCertificate, tlsKey, host }: LeaderOptions): Pick<LeaderNodeOptions, 'certificatePaths'> {
  if (tlsCertificate === undefined && tlsKey === undefined) return {};
  if (tlsCertificate === undefined || tlsKey === undefined)
    throw new StartupError('--tls-certificate and --tls-key belong together: name both files.');
  if (isLoopback(host))
    throw new StartupError(`--tls-certificate has no effect on ${host}: choose an address of the network with --host.`);
  return { certificatePaths: { certificate: resolve(tlsCertificate), key: resolve(tlsKey) } };
}

/** What people need on a network: where it is, how to recognise it, how to begin. */
function announceNetwork(io: ProgramIo, { networkUrl, certificate, setUpCode }: LeaderNode): void {
  if (certificate === undefined) return;
  const { port } = new URL(networkUrl);
  io.stdout.write(`On the network: ${networkUrl}, or https://${hostname()}:${port} where this name is known\n`);
  if (certificate.authorityFingerprint !== undefined)
    io.stdout.write(
      `Certificate authority of this leader, SHA-256: ${certificate.authorityFingerprint}\nBrowsers warn until they trust it (docs/network.md); lcs certificate shows it again.\n`,
    );
  if (setUpCode !== undefined)
    io.stdout.write(
      `Nobody has an account yet. Open ${networkUrl}/setup with the code ${setUpCode}, or run here: lcs people add NAME\n`,
    );
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
  announceNetwork(io, node);
  if (io.serviceManager === undefined) io.stdout.write('Stop with Ctrl-C.\n');
}

function leaderOptions(io: ProgramIo, options: LeaderOptions, log: Log): LeaderNodeOptions {
  const crashAt = readCrashPoint(io);
  return {
    name: options.name,
    dataFolder: resolve(options.dataDir),
    host: options.host,
    port: options.port,
    ...(options.mqttPort === undefined ? {} : { mqttPort: options.mqttPort }),
    ...(options.mqttTlsPort === undefined ? {} : { mqttTlsPort: options.mqttTlsPort }),
    ...(options.brokerUrl === undefined ? {} : { brokerUrl: options.brokerUrl }),
    ...databaseOf(options),
    ...boardOf(options),
    ...certificateOf(options),
    log,
    ...readHostOptions(options, log),
    tracingEndpoint: io.environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    ...(crashAt ? { crashAt } : {}),
  };
}

/** Runs a leader until the process receives a signal to end. */
export async function serveLeader(io: ProgramIo, options: LeaderOptions): Promise<void> {
  if (options.board !== 'none') takeMemoryRank('node');
  const node = createLeaderNode(leaderOptions(io, options, nodeLog(io, options)));
  await runNode(io, node, 'leader', () => announce(io, options, node));
}

function announceStandby(io: ProgramIo, { json }: LeaderOptions, { url }: ControlNode): void {
  if (json) printJson(io, { ready: true, url, mqtt: null, units: [], standby: true });
  else io.stdout.write(`Standby ready: ${url}   (another process is active)\n`);
}

/** Runs a leader, or its standby, until the process receives a signal to end, or is no longer the active process. */
export async function serveControl(io: ProgramIo, given: ControlOptions): Promise<void> {
  const options: LeaderOptions = { ...given, board: 'none' };
  const { database } = databaseOf(options);
  if (database === undefined)
    throw new StartupError(
      'lcs control needs --database: with files of its own, one process is the whole leader (lcs leader).',
    );
  const node = createControlNode({
    ...leaderOptions(io, options, nodeLog(io, options)),
    database,
    onActive: (leader) => announce(io, options, leader),
    onFenced: () => io.exit(1),
  });
  await runNode(io, node, 'control process', () => {
    if (node.leader === undefined) announceStandby(io, options, node);
    else announce(io, options, node.leader);
  });
}
