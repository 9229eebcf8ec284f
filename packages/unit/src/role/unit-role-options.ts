import type {
  bioreactorRoutes,
  blinkRoutes,
  Handlers,
  hardwareRoutes,
  nodeDescriptorRoutes,
  pluginRoutes,
  unitCalibrationRoutes,
  unitCameraRoutes,
  unitConfigRoutes,
  unitFeedRoutes,
} from '@lcs/contract';
import type { UnitBoard } from '@lcs/hardware';
import type {
  Identity,
  IdentityKey,
  JobRecordSink,
  JobRuntime,
  JobRuntimeOptions,
  NodePlugins,
  NodePluginsOptions,
  ReceivedStart,
} from '@lcs/node';
import type {
  Clock,
  Database,
  Identify,
  KeyedCertificate,
  Log,
  Probe,
  ServedApi,
  Service,
  TaskRunner,
} from '@lcs/platform';
import type { Camera } from '../camera/camera.ts';
import type { EnrolmentState } from '../enrolment/enrolment.ts';
import type { JobMemory } from '../jobs/shared/job-memory.ts';
import type { OutboxTables } from '../outbox/outbox-tables.ts';
import type { UnitDatabase } from './unit-database.ts';

/** What the leader role of a node with both roles adds to its unit role. */
export interface LeadingRole {
  /** Names of the jobs that serve the cluster; the leader role registers them. */
  readonly jobs: readonly string[];
  /** Receives their published values. */
  readonly sink: JobRecordSink;
  /** The folder for the copies of the configuration files; in the data folder itself the leader keeps the originals. */
  readonly configFolder: string;
}

export interface UnitRoleOptions {
  readonly unit: string;
  readonly version: string;
  readonly identity: Identity;
  /** Random, new at each start of the program: it distinguishes two machines with the same identity. */
  readonly instance: string;
  readonly dataFolder: string;
  /** Base URL of the leader, read at each attempt to enrol. */
  readonly leaderUrl: () => URL;
  /** Its key, by which the leader knows it. */
  readonly identityKey: IdentityKey;
  /** One-time code for the first enrolment. */
  readonly code?: string;
  /** Leaves its leader at the start. */
  readonly release?: boolean;
  /** Takes over its name from another machine. */
  readonly replace?: boolean;
  /** Where this node is reached; read while it is up. */
  readonly address: () => { readonly baseUrl: string | null; readonly port: number };
  /** Open, with `unitMigrations`. */
  readonly database: UnitDatabase;
  /** Open, with `outboxMigrations`. */
  readonly outboxDatabase: Database<OutboxTables>;
  /** Open, with the tables of tasks and jobs: `database`, or the store of the leader role of the same node. */
  readonly nodeDatabase: JobRuntimeOptions['database'];
  /** The parts of the leader role of the same node. Absent: this node has the unit role alone. */
  readonly leading?: LeadingRole;
  /** Not started yet: the kinds of the unit's tasks are registered here. */
  readonly tasks: TaskRunner;
  readonly board: UnitBoard;
  /** Default: one that draws for a simulated board, else a program of the operating system. */
  readonly camera?: Camera;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly newId: () => string;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Whether the host's clock is kept by NTP. */
  readonly hostSynced: () => boolean;
  /** Instead of the broker of the configuration. */
  readonly mqttUrl?: () => string | undefined;
  /** Switches the computer off; false where this program may not. Default: it may not. */
  readonly powerOff?: () => Promise<boolean>;
  readonly probe?: Probe;
  /** Where files of plugins come from, what installs packages, what their processes may take. */
  readonly plugins?: Partial<Pick<NodePluginsOptions, 'sources' | 'tool' | 'limits'>>;
}

/** The inputs of the first stage of the unit role. */
export interface UnitRoleInputs {
  readonly options: UnitRoleOptions;
  /** What the unit presents over TLS; made at the first use. */
  readonly certificate: () => Promise<KeyedCertificate>;
}

/** The unit role of a node: its routes and its services. */
export interface UnitRole {
  readonly runtime: JobRuntime;
  /** What jobs keep between runs. */
  readonly memory: JobMemory;
  /** Stores the first calibration of a device from its text, and uses it; a device that has calibrations keeps them. @throws ApiError */
  readonly addFirstCalibration: (device: string, yaml: string) => Promise<void>;
  readonly plugins: NodePlugins;
  /** The unit's time. */
  readonly clock: Clock;
  readonly handlers: Handlers<typeof unitFeedRoutes> &
    Handlers<typeof hardwareRoutes> &
    Handlers<typeof bioreactorRoutes> &
    Handlers<typeof blinkRoutes> &
    Handlers<typeof nodeDescriptorRoutes> &
    Handlers<typeof pluginRoutes> &
    Handlers<typeof unitCalibrationRoutes> &
    Handlers<typeof unitCameraRoutes> &
    Handlers<typeof unitConfigRoutes>;
  /** The API of the node, whose commands wait for the version of the leader's document that they name. */
  readonly afterDesired: (served: ServedApi) => ServedApi;
  /** Who sent a request to the unit. */
  readonly identify: Identify;
  /** The leader's time, in milliseconds since 1970. @throws ApiError host_command_failed */
  readonly leaderTime: () => Promise<number>;
  /** The state of its enrolment. */
  readonly enrolment: () => EnrolmentState;
  /** A person has set the clock of the machine to this time, in milliseconds since 1970. */
  readonly clockSet: (utcMs: number) => void;
  /** Name of the unit's leader; empty before it has joined. */
  readonly leader: () => string;
  /** @throws ApiError when this job may not be started: it could not be remembered, or a part that it needs is missing */
  readonly mayStart: (
    job: string,
    automation: string | undefined,
    received: ReceivedStart,
    isSafer: boolean,
  ) => Promise<void>;
  /** The missing parts of the board for a job, in a sentence; undefined: none. */
  readonly unavailable: (job: string, automation: string | undefined) => string | undefined;
  /** After the databases, before the tasks, in this order. */
  readonly parts: readonly Service[];
  /** After HTTP. */
  readonly partsAfterHttp: readonly Service[];
}
