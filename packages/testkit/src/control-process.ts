import { type NodeProcess, type NodeProcessOptions, startNodeProcess } from './node-process.ts';

export interface ControlProcessOptions extends Pick<NodeProcessOptions, 'onLog' | 'isBuilt'> {
  readonly dataFolder: string;
  /** Address of the database. */
  readonly database: string;
  /** Of its own broker, while it is active; any free one by default. */
  readonly mqttPort?: number;
  /** An external broker instead of its own. */
  readonly brokerUrl?: string;
}

/** Starts `lcs control` and waits until it is active, or the standby. */
export function startControlProcess(options: ControlProcessOptions): Promise<NodeProcess> {
  const { dataFolder, database, mqttPort = 0, brokerUrl, ...more } = options;
  const broker = brokerUrl === undefined ? ['--mqtt-port', String(mqttPort)] : ['--broker-url', brokerUrl];
  return startNodeProcess(
    ['control', '--port', '0', ...broker, '--data-dir', dataFolder, '--database', database],
    more,
  );
}

/** Starts `lcs ingest` and waits until it waits for an active process. */
export const startIngestProcess = ({
  dataFolder,
  database,
  ...more
}: Omit<ControlProcessOptions, 'mqttPort' | 'brokerUrl'>): Promise<NodeProcess> =>
  startNodeProcess(['ingest', '--data-dir', dataFolder, '--database', database], more);

/** Starts `lcs api`. Port 0: any free one. */
export const startApiProcess = (
  database: string,
  port = 0,
  options: Pick<NodeProcessOptions, 'isBuilt'> = {},
): Promise<NodeProcess> => startNodeProcess(['api', '--port', String(port), '--database', database], options);
