import type { Agent } from 'node:http';
import type { Json, LiveEventName, LiveEvents, LogLevel, Method, UnitOutcome, UnitStatus } from '@lcs/contract';
import type { Clock, Database, Log, TaskRunner, TaskTables } from '@lcs/platform';
import type { Transaction } from 'kysely';
import type { LeaderTables } from '../store/tables.ts';

export type LeaderSchema = LeaderTables & TaskTables;
export type LeaderDatabase = Database<LeaderSchema>;
export type LeaderTransaction = Transaction<LeaderSchema>;

/** The experiment name that stands for the cluster as a whole. */
export const systemExperiment = '$experiment';

/** Publishes changes to the readers of the live stream. */
export interface LivePublisher {
  /** `key` names the subject of the event: a slow reader receives only the newest event of one name and key. */
  publish<Name extends LiveEventName>(name: Name, key: string, data: LiveEvents[Name]): void;
}

/** Receives each event inside the leader. It must not throw, and must be fast. */
export type LiveListener = <Name extends LiveEventName>(name: Name, data: LiveEvents[Name]) => void;

/** Publishes to the broker in the background; an unreachable broker causes no error. */
export interface MqttPublisher {
  publish(topic: string, payload: string, options?: { readonly retain?: boolean; readonly qos?: 0 | 1 | 2 }): void;
}

/** An entry of the event log; absent fields get defaults. */
export interface EventLogEntry {
  /** Absent: the cluster itself. */
  readonly experiment?: { readonly id: number; readonly name: string };
  readonly level: LogLevel;
  /** The account on whose behalf the change is made is added to it. */
  readonly message: string;
  /** One word for the activity, such as `assignment`. */
  readonly task: string;
  /** The unit concerned; default: the leader. */
  readonly unit?: string;
  /** The time in milliseconds; default: now. */
  readonly at?: number;
}

/** The jobs that a unit is to stop. */
export type StopRequest = { readonly experiment: string } | 'all';

/** A command to one unit. Its content must not depend on the time of sending: it may be sent twice. */
export type UnitCommand = {
  readonly unit: string;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Percent-encoded. */
  readonly path: string;
  readonly body: Json;
};

export interface CommandOptions {
  /** `stop`: does not wait for other commands. The others share places. */
  readonly lane: 'stop' | 'command';
  /** Identifies each command to its unit when it is repeated; absent: the fleet makes a key for each. */
  readonly idempotencyKey?: string;
  /** Time limit of the unit's task, in milliseconds; default 30,000. */
  readonly taskMs?: number;
  /** The command requires the changes that were answered before: it is sent after the unit has its document, and runs after that is applied. */
  readonly requiresChanges?: true;
  /** Called just before a command is sent: whether it was stopped while it waited. */
  readonly isSuperseded?: (unit: string) => boolean;
  /** A command that was not sent by then (milliseconds of the monotonic `wire`) is not sent. */
  readonly deadline?: number;
}

export interface ReadOptions {
  /** A cached answer of the last 10 s suffices. */
  readonly isCached?: boolean;
  /** Milliseconds for one unit, and for all; default 3 s and 4 s. */
  readonly limits?: { readonly readMs: number; readonly readAllMs: number };
}

/** A request that the leader passes on to one unit. */
export interface PassedOnRequest {
  readonly method: Method;
  /** Percent-encoded. */
  readonly path: string;
  readonly body?: unknown;
  /** Time limit of the unit. */
  readonly limitMs: number;
  /** The unit works in real time: virtual time continues meanwhile. */
  readonly waits?: boolean;
  /** The request requires the changes that were answered before. */
  readonly requiresChanges?: true;
  readonly signal?: AbortSignal;
}

export interface PassedOnAnswer {
  readonly status: number;
  /** Parsed if it is JSON, else the text. */
  readonly body: Json;
}

/** Sends requests to units over HTTP, within time limits; each unit has exactly one outcome. */
export interface Fleet {
  command(commands: readonly UnitCommand[], options: CommandOptions): Promise<Record<string, UnitOutcome>>;
  read(units: readonly string[], path: string, options?: ReadOptions): Promise<Record<string, UnitOutcome>>;
  /**
   * Invalidates cached answers of these units below these paths. Call it before a change is sent and again when it has ended: a read in
   * between would store the old value again.
   */
  forget(units: readonly string[], paths: readonly string[]): void;
  /**
   * Passes a request on to one unit and returns its parsed response.
   * @throws PassedOnError with the unit's own error body
   * @throws ApiError unit_gave_no_answer
   */
  passOn(unit: string, request: PassedOnRequest): Promise<PassedOnAnswer>;
  stopJobs(units: readonly string[], request: StopRequest): Promise<Record<string, UnitOutcome>>;
  checkHardware(unit: string, model: { model_name: string; model_version: string }): Promise<UnitOutcome>;
}

/** What the last answer of a unit contains about its document and its disk. */
export interface UnitConditions {
  /** Since when it has answered without a pause; its records of the time before arrive later. -∞: it has not answered. */
  readonly answeringSinceMs: number;
  /** Parts of its document that it is still applying. */
  readonly pendingParts: readonly string[];
  /** Changes are effective that its disk has not recorded. */
  readonly isUnrecorded: boolean;
}

/** The state of each unit, that is of the leader and all workers. */
export interface UnitDirectory {
  /** Undefined for a name that is neither the leader nor a worker. */
  statusOf(unit: string): UnitStatus | undefined;
  /** By name. */
  all(): readonly UnitStatus[];
  /** Base URL of a unit, worker or not; undefined when it is unknown. */
  addressOf(unit: string): string | undefined;
}

/** The required state of the units: one versioned document for each. */
export interface DesiredPort {
  /**
   * Data from which the documents of these units are made have changed and are on disk: makes the documents again and sends them to the
   * units, in the background. Never throws.
   */
  refresh(units: readonly string[]): void;
  /**
   * The same, but waits up to 2 s until these units have received their documents, except units that have never answered.
   * Resolves to the units that have not received theirs.
   */
  deliverNow(units: readonly string[]): Promise<readonly string[]>;
  /**
   * Turns stops that did not reach these units into orders of their documents. Resolves, once that is on disk, to the units that have such an
   * order: units without a document (the leader's own node) and unknown experiments have none.
   */
  orderStops(units: readonly string[], stop: JobsOfExperiment): Promise<ReadonlySet<string>>;
  /** Stores such orders in the transaction of the change that causes them: a leader that ends right after it still stops the jobs. */
  orderStopsIn(
    transaction: LeaderTransaction,
    effects: Pick<Effects, 'afterCommit'>,
    units: readonly string[],
    stop: JobsOfExperiment,
  ): Promise<void>;
  /**
   * Call it before a person's start of a job on these units: earlier orders to stop it are dropped. If an order concerns other jobs, too, the
   * unit receives it first, within 2 s.
   */
  beforeStart(units: readonly string[], start: JobsOfExperiment & { readonly jobName: string }): Promise<void>;
}

/** The jobs that a person has stopped or starts. */
export type JobsOfExperiment = {
  /** Null: of any experiment. */
  readonly experiment: string | null;
  /** Null: all jobs. */
  readonly jobName: string | null;
  /** Those of this group, as the unit knows it; `jobName` is then `jobsOfGroup`. */
  readonly stopGroup?: 'pumps';
};

/** In place of a name in a stop of a group: no job has this name, so that a unit of an older version stops none. */
export const jobsOfGroup = '(group)';

/** Effects of a change after its commit, in the order of the calls. */
export interface Effects {
  live: LivePublisher['publish'];
  mqtt: MqttPublisher['publish'];
  /** Writes an entry of the event log in the transaction of the change, and publishes it afterwards. */
  logEvent(entry: EventLogEntry): Promise<void>;
  /** Any other effect, such as the start of a task; it must not throw. */
  afterCommit(action: () => void): void;
}

/** Runs a change: one transaction, then its effects. When the promise resolves the change is on disk. */
export type ChangeRunner = <Result>(
  work: (transaction: LeaderTransaction, effects: Effects) => Promise<Result>,
) => Promise<Result>;

/** The credentials of the leader at a node, and for whom it acts, as headers of a request; none for a node that asks for none. */
export type NodeHeaders = (url: URL) => Readonly<Record<string, string>>;

/**
 * The encrypted connections to the machine at an address, which are to its key only; undefined: it is reached without TLS.
 * @param peerKey of a machine that the leader is about to enrol; null: any machine, which must receive no secret
 */
export type NodeAgent = (url: URL, peerKey?: string | null) => Promise<Agent | undefined>;

/** The dependencies of the leader's features. */
export interface LeaderContext {
  /** The leader's own unit name. */
  readonly leader: string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly database: LeaderDatabase;
  readonly change: ChangeRunner;
  readonly tasks: TaskRunner;
  readonly fleet: Fleet;
  readonly units: UnitDirectory;
  readonly desired: DesiredPort;
  readonly nodeHeaders: NodeHeaders;
  readonly nodeAgent: NodeAgent;
  readonly dataFolder: string;
  /** Creates IDs; deterministic in tests. */
  readonly newId: () => string;
}

/** A `LIMIT` that all rows keep. */
export const noLimit = Number.MAX_SAFE_INTEGER;
