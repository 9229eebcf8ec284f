import { type NodeProcess, startNodeProcess } from './node-process.ts';

export interface DemoProcessOptions {
  readonly dataFolder: string;
  readonly units?: number;
  readonly seed?: number;
  /** Hours of the past of its units. Default: a day. */
  readonly pastHours?: number;
  readonly port?: number;
  /** `point:hits`: the process kills itself when its leader passes the named point for the n-th time. */
  readonly crashAt?: string;
}

/** Starts `lcs demo` and waits for its ready line; rejects with what it wrote when it ends before. */
export function startDemoProcess(options: DemoProcessOptions): Promise<NodeProcess> {
  const { dataFolder, units = 3, seed = 1, pastHours = 24, port = 0, crashAt } = options;
  const args = ['demo', '--data-dir', dataFolder, '--port', String(port)];
  return startNodeProcess(
    [...args, '--units', String(units), '--seed', String(seed), '--past-hours', String(pastHours)],
    crashAt === undefined ? {} : { crashAt },
  );
}
