import { type NodeProcess, startNodeProcess } from './node-process.ts';

export interface LeaderProcessOptions {
  readonly dataFolder: string;
  /** `point:hits`: the process kills itself when it passes the named point for the n-th time. */
  readonly crashAt?: string;
  readonly port?: number;
  /** An external broker instead of the embedded one. */
  readonly brokerUrl?: string;
  /** Of its own broker; any free one by default. */
  readonly mqttPort?: number;
  /** With a simulated board, a process too, with its witness file there. Default: without a board. */
  readonly witnessPath?: string;
}

/** A leader in a separate process. */
export type LeaderProcess = NodeProcess;

/** Starts `lcs leader` and waits for its ready line; rejects with what it wrote when it ends before. */
export function startLeaderProcess(options: LeaderProcessOptions): Promise<LeaderProcess> {
  const { dataFolder, crashAt, port = 0, brokerUrl, mqttPort = 0, witnessPath } = options;
  const broker = brokerUrl === undefined ? ['--mqtt-port', String(mqttPort)] : ['--broker-url', brokerUrl];
  const board = witnessPath === undefined ? [] : ['--board', 'simulated', '--witness', witnessPath];
  return startNodeProcess(
    ['leader', '--port', String(port), ...broker, ...board, '--data-dir', dataFolder],
    crashAt === undefined ? {} : { crashAt },
  );
}
