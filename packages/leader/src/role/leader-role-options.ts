import { validateUnitName } from '@lcs/domain';
import type { CodeCost, IdentityKey, PluginSources } from '@lcs/node';
import {
  type Clock,
  type HttpAddress,
  type IngestRegister,
  type Log,
  type Probe,
  type ServerTls,
  StartupError,
  type TaskRunner,
} from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import type { PasswordCost } from '../access/password.ts';
import type { AuditDatabase } from '../audit/audit-tables.ts';
import type { BackupPlace } from '../backups/backup-settings.ts';
import type { BrokerSettings } from '../broker/broker-settings.ts';
import type { LeaderDatabase } from '../core/leader-context.ts';
import type { StartDatasets } from '../exports/dataset-threads.ts';
import type { BroadcastPort } from '../live/live-broadcast.ts';
import type { OtherLeaderSettings } from '../other-leaders/other-leaders-settings.ts';
import type { Rehearse } from '../profiles/rehearsal/rehearsal-input.ts';
import type { StartReader } from '../series/series-readers.ts';
import type { LeaderMachine } from '../system/create-leader-system.ts';

export interface LeaderRoleOptions {
  /** The leader's own unit name. */
  readonly leader: string;
  /** Under which units know it: of its data folder. */
  readonly leaderId: string;
  /** Its key: units know it, and their credentials are derived from it. */
  readonly identityKey: IdentityKey;
  /** Of one-time codes; lower in tests. */
  readonly codeCost?: CodeCost;
  /** Of new passwords; lower in tests. */
  readonly passwordCost?: PasswordCost;
  readonly version: string;
  /** Differs at each start. */
  readonly run: string;
  readonly host: string;
  /** Callers of this machine may only read. Default: they may do everything while no person exists. */
  readonly readOnly?: boolean;
  /** The certificates on a network; undefined on loopback addresses. */
  readonly tls: ServerTls | undefined;
  /** As asked for; 0 is any free port, known only later. */
  readonly httpPort: number;
  readonly brokerSettings: BrokerSettings;
  readonly backupPlace: BackupPlace;
  readonly otherLeaders: readonly OtherLeaderSettings[];
  /** Connections at `GET /api/live` at a time. */
  readonly liveConnections: number;
  /** Carries live events to processes in front of it. Default: there are none. */
  readonly liveBroadcast?: BroadcastPort;
  /** Where this node is reached. */
  readonly address: Pick<HttpAddress, 'isListening' | 'url' | 'networkUrl' | 'ownUrl'>;
  readonly dataFolder: string;
  /** Of the store. Default: its file in the data folder. */
  readonly storePlace?: StorePlace;
  /** How its readers of time series are started. Default: each in a thread of its own. */
  readonly startReader?: StartReader | undefined;
  /** How work on datasets is started. Default: each in a thread of its own. */
  readonly startDatasets?: StartDatasets | undefined;
  /** Where the built page is. */
  readonly pageFolder: string;
  readonly clock: Clock;
  /** Whether NTP keeps the host's clock now. Absent: no. */
  readonly hostSynced?: () => boolean;
  readonly wire: Clock;
  readonly log: Log;
  readonly database: LeaderDatabase;
  readonly auditDatabase: AuditDatabase;
  readonly tasks: TaskRunner;
  readonly newId: () => string;
  /** Its own machine, as far as other parts of the leader use it. */
  readonly machine: Omit<LeaderMachine, 'importOwnData'>;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Reads the whole database; resolves to what is wrong with it. */
  readonly checkDatabase?: () => Promise<readonly string[]>;
  /** Where files of plugins may come from. */
  readonly pluginSources: PluginSources;
  /** Index of installable plugins, instead of the setting in `leader.ini`. */
  readonly pluginIndexUrl?: string | undefined;
  /** Computes rehearsals of profiles. */
  readonly rehearse: Rehearse;
  readonly probe?: Probe;
  /** Of processes that read feeds for this one; absent: none can. */
  readonly ingestRegister?: IngestRegister;
  /** This node has the unit role too, and may be a worker of its own. */
  readonly hasUnitRole: boolean;
}

/** A leader is a unit among others: its name stands in addresses and topics. @throws StartupError */
export function checkLeaderName(name: string): void {
  const validation = validateUnitName(name);
  if (validation.ok) return;
  throw new StartupError(
    `The leader cannot be called ${JSON.stringify(name)}: ${validation.cause} Choose another name with --name.`,
  );
}
