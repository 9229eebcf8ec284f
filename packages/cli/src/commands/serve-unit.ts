import { resolve } from 'node:path';
import { createUnitNode, detectBoard, type UnitNode } from '@lcs/cluster';
import { isLoopback, StartupError } from '@lcs/platform';
import { takeMemoryRank } from '@lcs/platform/memory-rank';
import { printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import { type BoardOptions, linuxChoice, type SimulationOptions, simulatedChoice } from './board-options.ts';
import { type HostOptions, readHostOptions } from './host-options.ts';
import { type NodeOutput, nodeLog, readCrashPoint, runNode } from './run-node.ts';

export interface UnitOptions extends NodeOutput, HostOptions, BoardOptions, SimulationOptions {
  readonly leader: URL;
  readonly name: string;
  readonly replace?: boolean;
  readonly code?: string;
  readonly release?: boolean;
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly mqtt?: string;
}

function announce(io: ProgramIo, options: UnitOptions, { name, url, networkUrl, board }: UnitNode): void {
  if (options.json) {
    printJson(io, { ready: true, url, units: [{ name, url }] });
    return;
  }
  io.stdout.write(
    `Unit ${name} ready: ${networkUrl}   (${board.isSimulated ? 'simulated' : 'real'} board, data in ${resolve(options.dataDir)})\n`,
  );
  if (io.serviceManager === undefined) io.stdout.write('Stop with Ctrl-C.\n');
}

/** @throws StartupError when the leader and the unit could not reach each other */
function checkAddresses({ leader, host }: UnitOptions): void {
  const { protocol, hostname, port } = leader;
  if (isLoopback(hostname.replace(/^\[|\]$/g, ''))) return;
  if (protocol === 'http:')
    throw new StartupError(
      `A leader on another machine uses TLS: choose --leader https://${hostname}:${port === '' ? '4999' : port}.`,
    );
  if (isLoopback(host))
    throw new StartupError(
      `The leader at ${hostname} cannot reach this unit on ${host}: choose an address of this machine in the network with --host, or --host 0.0.0.0 for all of them. For a leader on this machine, name it by a loopback address: --leader https://127.0.0.1:${port === '' ? '4999' : port}.`,
    );
}

/** Of a service: its folder (systemd.exec(5), RuntimeDirectory; the first one of several), and its program that switches off. */
function serviceParts({ environment: { RUNTIME_DIRECTORY, LCS_OUTPUTS_OFF } }: ProgramIo) {
  const [runtimeFolder] = RUNTIME_DIRECTORY?.split(':') ?? [];
  return {
    ...(runtimeFolder === undefined ? {} : { runtimeFolder }),
    ...(LCS_OUTPUTS_OFF === undefined ? {} : { switchOffProgram: LCS_OUTPUTS_OFF }),
  };
}

/** Runs a unit until the process receives a signal to end. */
export async function serveUnit(io: ProgramIo, options: UnitOptions): Promise<void> {
  const { name, host, port, leader, mqtt } = options;
  checkAddresses(options);
  takeMemoryRank('node');
  const crashAt = readCrashPoint(io);
  const log = nodeLog(io, options);
  const isReal = options.board === 'linux' || (options.board === 'auto' && (await detectBoard()) !== undefined);
  const node = createUnitNode({
    name,
    dataFolder: resolve(options.dataDir),
    host,
    port,
    leaderUrl: () => leader.href,
    ...(options.replace && { replace: true }),
    ...(options.code !== undefined && { code: options.code }),
    ...(options.release && { release: true }),
    board: isReal ? { ...linuxChoice(options), ...serviceParts(io) } : simulatedChoice(options),
    log,
    ...readHostOptions(options, log),
    tracingEndpoint: io.environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    ...(mqtt === undefined ? {} : { mqttUrl: () => mqtt }),
    ...(crashAt ? { crashAt } : {}),
  });
  await runNode(io, node, 'unit', () => announce(io, options, node));
}
