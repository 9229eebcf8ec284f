import { type NodeProcess, startNodeProcess } from './node-process.ts';

export interface UnitProcessOptions {
  readonly name: string;
  readonly leaderUrl: string;
  readonly dataFolder: string;
  /** Witness file of its board, which is a process too. */
  readonly witnessPath: string;
  readonly seed?: number;
  readonly port?: number;
  /** Instead of the broker of the configuration. */
  readonly mqttUrl?: string;
  /** `point:hits`: the process kills itself when it passes the named point for the n-th time. */
  readonly crashAt?: string;
}

/** A unit in a process of its own, as its guard and its simulated board are. The board survives a killed unit. */
export type UnitProcess = NodeProcess;

/** Starts `lcs unit` and waits for its ready line; rejects with what it wrote when it ends before. */
export function startUnitProcess(options: UnitProcessOptions): Promise<UnitProcess> {
  const { name, leaderUrl, dataFolder, witnessPath, seed = 1, port = 0, mqttUrl, crashAt } = options;
  const args = ['unit', '--name', name, '--leader', leaderUrl, '--data-dir', dataFolder, '--witness', witnessPath];
  const more = ['--seed', String(seed), '--port', String(port), ...(mqttUrl === undefined ? [] : ['--mqtt', mqttUrl])];
  return startNodeProcess([...args, ...more], crashAt === undefined ? {} : { crashAt });
}
