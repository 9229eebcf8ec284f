import { type NodeProcess, type NodeProcessOptions, startNodeProcess } from './node-process.ts';

export interface ControlProcessOptions extends Pick<NodeProcessOptions, 'onLog'> {
  readonly dataFolder: string;
  /** Address of the database. */
  readonly database: string;
  /** Of its own broker, while it is active; any free one by default. */
  readonly mqttPort?: number;
}

/** Starts `lcs control` and waits until it is active, or the standby. */
export function startControlProcess(options: ControlProcessOptions): Promise<NodeProcess> {
  const { dataFolder, database, mqttPort = 0, onLog } = options;
  const ports = ['--port', '0', '--mqtt-port', String(mqttPort)];
  return startNodeProcess(
    ['control', ...ports, '--data-dir', dataFolder, '--database', database],
    onLog === undefined ? {} : { onLog },
  );
}

/** Starts `lcs ingest` and waits until it waits for an active process. */
export const startIngestProcess = ({
  dataFolder,
  database,
  onLog,
}: Omit<ControlProcessOptions, 'mqttPort'>): Promise<NodeProcess> =>
  startNodeProcess(['ingest', '--data-dir', dataFolder, '--database', database], onLog === undefined ? {} : { onLog });

/** Starts `lcs api`. */
export const startApiProcess = (database: string): Promise<NodeProcess> =>
  startNodeProcess(['api', '--port', '0', '--database', database]);
