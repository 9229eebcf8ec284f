import { randomInt, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  createUsbDrives,
  diskSpaceAt,
  HarmlessHost,
  type Host,
  noInstaller,
  type ReleaseOptions,
  UploadStore,
} from '@lcs/node';
import { HttpAddress, OtlpTracing, type Stage, StartupError, TaskRunner } from '@lcs/platform';
import type { NodeInputs } from './node-inputs.ts';

/** Functions of its machine that a node may use; none by default. */
export interface NodeHostOptions {
  /** Default: one that changes nothing. */
  readonly machine?: Host;
  readonly releases?: Partial<ReleaseOptions>;
  /** The version that the node reports, for tests of updates. Default: that of this program. */
  readonly version?: string;
  /** Base address of an OpenTelemetry collector. Default: nobody traces this node. */
  readonly tracingEndpoint?: string | undefined;
  /** The largest upload; 64 MiB by default. */
  readonly uploadLimitBytes?: number;
}

/** From 0 to below 1; nodes scatter their retries by it. */
export const randomFraction = (): number => randomInt(2 ** 32) / 2 ** 32;

export interface MachineInputs {
  readonly hostOptions: NodeHostOptions;
  /** What the node is called in traces. */
  readonly service: 'lcs-leader' | 'lcs-unit';
  /** Where tasks of the node are recorded. */
  readonly nodeDatabase: ConstructorParameters<typeof TaskRunner>[0]['database'];
}

export interface MachineOutputs {
  readonly machine: ReturnType<typeof nodeHost>;
  /** Where this node is reached. */
  readonly address: HttpAddress;
  /** Starts after the roles, which register their kinds of tasks. */
  readonly tasks: TaskRunner;
  /** Undefined: nobody traces this node. */
  readonly tracing: OtlpTracing | undefined;
}

/** The machine of a node, its address and its tasks. */
export function machineStage(inputs: NodeInputs & MachineInputs): Stage<MachineOutputs> {
  const { folder, clock, wire, log, hostOptions, nodeDatabase } = inputs;
  const machine = nodeHost(folder.path, hostOptions, { clock, log, newId: randomUUID });
  const tracing = tracingOf(inputs);
  const tasks = new TaskRunner({ database: nodeDatabase, clock, wire, log, tracing });
  return { outputs: { machine, address: new HttpAddress(), tasks, tracing }, services: tracing ? [tracing] : [] };
}

/** @throws StartupError for an address that cannot be one */
function tracingOf({
  name,
  version,
  wire,
  log,
  hostOptions,
  service,
}: NodeInputs & MachineInputs): OtlpTracing | undefined {
  const { tracingEndpoint: endpoint } = hostOptions;
  if (endpoint === undefined) return undefined;
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new StartupError(
      `The OpenTelemetry collector must have an address such as http://127.0.0.1:4318, not '${endpoint}' ([tracing] endpoint of leader.ini, OTEL_EXPORTER_OTLP_ENDPOINT).`,
    );
  return new OtlpTracing({ endpoint, service, instance: name, version, wire, log });
}

type UploadNeeds = Pick<ConstructorParameters<typeof UploadStore>[0], 'clock' | 'log' | 'newId'>;

/** The machine of a node: host, releases, USB drives, uploads. A folder `run/usb/DEV_USB` stands for a drive where nothing else does. */
function nodeHost(dataFolder: string, options: NodeHostOptions, needs: UploadNeeds) {
  const run = join(dataFolder, 'run');
  const host = options.machine ?? new HarmlessHost({ usbFolder: join(run, 'usb', 'DEV_USB') });
  const releases: ReleaseOptions = { keys: [], installer: noInstaller, ...options.releases };
  return {
    host,
    releases,
    usb: createUsbDrives({ host, dataFolder, releases }),
    uploads: new UploadStore({
      ...needs,
      folder: join(run, 'uploads'),
      freeBytes: async () => (await diskSpaceAt(dataFolder)).availableBytes,
    }),
    ...(options.uploadLimitBytes === undefined ? {} : { uploadLimitBytes: options.uploadLimitBytes }),
  };
}
