import type { Json, LiveEventName, LiveEvents, LogLevel, Method, UnitOutcome, UnitStatus } from '@lcs/contract';
import type { Clock, Database, Log, TaskRunner, TaskTables } from '@lcs/platform';
import type { Transaction } from 'kysely';
import type { LeaderTables } from '../store/tables.ts';

export type LeaderSchema = LeaderTables & TaskTables;
export type LeaderDatabase = Database<LeaderSchema>;
export type LeaderTransaction = Transaction<LeaderSchema>;

/** The stand-in experiment name for what concerns the cluster as a whole. */
export const systemExperiment = '$experiment';

/** Sends changes to the pages that follow. */
export interface LivePublisher {
  /** `key` says what the event is about: for one name and key only the newest matters to a slow reader. */
  publish<Name extends LiveEventName>(name: Name, key: string, data: LiveEvents[Name]): void;
}

/** Publishes to the broker in the background; a broker that is away fails nothing. */
export interface MqttPublisher {
  publish(topic: string, payload: string, options?: { readonly retain?: boolean; readonly qos?: 0 | 1 | 2 }): void;
}

/** What an entry of the event log needs; the rest is filled in. */
interface EventLogEntry {
  /** Absent: the cluster itself. */
  readonly experiment?: { readonly id: number; readonly name: string };
  readonly level: LogLevel;
  readonly message: string;
  /** One word for what was being done, such as `assignment`. */
  readonly task: string;
  /** Whom it is about; the leader by default. */
  readonly unit?: string;
  /** When it was, in milliseconds; now by default. */
  readonly at?: number;
}

/** Which jobs a unit is asked to stop. */
export type StopRequest = { readonly experiment: string } | 'all';

/** A command to one unit. Nothing in it may depend on when it is sent: it may be sent twice. */
export type UnitCommand = {
  readonly unit: string;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Percent-encoded. */
  readonly path: string;
  readonly body: Json;
};

export interface CommandOptions {
  /** `stop`: waits for nothing. Other commands share places. */
  readonly lane: 'stop' | 'command';
  /** What makes each of the commands known to its unit when it comes again; absent: one is made for each. */
  readonly idempotencyKey?: string;
  /** How long the task of the unit may take, in milliseconds; default 30,000. */
  readonly taskMs?: number;
  /** They must see every change that was answered before: sent once the unit has its document, carried out once it is applied. */
  readonly seesChanges?: true;
  /** Asked just before a command is sent: whether it was stopped while it waited. */
  readonly isSuperseded?: (unit: string) => boolean;
  /** What is not sent by then (milliseconds of the monotonic `wire`) is not sent at all. */
  readonly deadline?: number;
}

export interface ReadOptions {
  /** An answer of the last 10 s will do. */
  readonly isCached?: boolean;
  /** Milliseconds for one unit, and for all; default 3 s and 4 s. */
  readonly limits?: { readonly readMs: number; readonly readAllMs: number };
}

/** A request that one unit answers in the leader's place. */
export interface PassedOnRequest {
  readonly method: Method;
  /** Percent-encoded. */
  readonly path: string;
  readonly body?: unknown;
  /** How long the unit may take. */
  readonly limitMs: number;
  /** The unit works for as long as its own clock says: virtual time goes on meanwhile. */
  readonly waits?: boolean;
  /** It must see every change that was answered before. */
  readonly seesChanges?: true;
  readonly signal?: AbortSignal;
}

export interface PassedOnAnswer {
  readonly status: number;
  /** Parsed where it is JSON, else the text itself. */
  readonly body: Json;
}

/** Talks to units over HTTP: one outcome per unit, always, within the bounds. */
export interface Fleet {
  command(commands: readonly UnitCommand[], options: CommandOptions): Promise<Record<string, UnitOutcome>>;
  read(units: readonly string[], path: string, options?: ReadOptions): Promise<Record<string, UnitOutcome>>;
  /**
   * Answers of the last 10 s below these paths will not do any more for these units. Call it before a change is sent and
   * again when it has ended, or a read in between brings the old value back.
   */
  forget(units: readonly string[], paths: readonly string[]): void;
  /**
   * Passes a request on to one unit and gives its answer back, parsed.
   * @throws PassedOnError with the unit's own error body
   * @throws ApiError unit_gave_no_answer
   */
  passOn(unit: string, request: PassedOnRequest): Promise<PassedOnAnswer>;
  stopJobs(units: readonly string[], request: StopRequest): Promise<Record<string, UnitOutcome>>;
  checkHardware(unit: string, model: { model_name: string; model_version: string }): Promise<UnitOutcome>;
}

/** What the last answer of a unit shows of its document and its disk. */
export interface UnitConditions {
  /** Since when it answers without a pause; its records of the time before arrive after that. -∞: it has not answered. */
  readonly answeringSinceMs: number;
  /** Parts of its document that it is still applying. */
  readonly pendingParts: readonly string[];
  /** It has changes in force that its disk has not taken. */
  readonly isUnrecorded: boolean;
}

/** What is known of each unit: the leader and all workers. */
export interface UnitDirectory {
  /** Undefined for a name that is neither the leader nor a worker. */
  statusOf(unit: string): UnitStatus | undefined;
  /** By name. */
  all(): readonly UnitStatus[];
  /** Base URL of a unit, worker or not, or undefined when nobody knows where it is. */
  addressOf(unit: string): string | undefined;
}

/** What the leader wants of its units, kept as one versioned document for each. */
export interface DesiredPort {
  /**
   * Something that the documents of these units are made from has changed and is on disk: they are made anew and given to
   * the units, in the background. Never throws.
   */
  refresh(units: readonly string[]): void;
  /**
   * The same, and waits until these units have taken their documents, 2 s at most; units that were not heard yet are not
   * waited for. Resolves to those that have not taken theirs.
   */
  deliverNow(units: readonly string[]): Promise<readonly string[]>;
  /**
   * Stops that could not be brought to these units become orders of their documents. Resolves, once that is on disk, to the
   * units that have such an order now: units without a document (the leader's own node) and unknown experiments have none.
   */
  orderStops(units: readonly string[], stop: JobsOfExperiment): Promise<ReadonlySet<string>>;
  /**
   * A person is about to start a job on these units: earlier orders to stop it are dropped. Where an order is for other jobs
   * too, the unit is given it first, for 2 s at most.
   */
  beforeStart(units: readonly string[], start: JobsOfExperiment & { readonly jobName: string }): Promise<void>;
}

/** Which jobs a person has stopped or starts. */
export type JobsOfExperiment = {
  /** Null: of any experiment. */
  readonly experiment: string | null;
  /** Null: all of them. */
  readonly jobName: string | null;
};

/** What happens once a change is on disk, in the order it was asked for. */
export interface Effects {
  live: LivePublisher['publish'];
  mqtt: MqttPublisher['publish'];
  /** Writes an entry of the event log with the change itself, and shows it live afterwards. */
  logEvent(entry: EventLogEntry): Promise<void>;
  /** Anything else, such as beginning a task; it must not throw. */
  afterCommit(action: () => void): void;
}

/** Runs a change: one transaction, then its effects. When the promise resolves the change is on disk. */
export type ChangeRunner = <Result>(
  work: (transaction: LeaderTransaction, effects: Effects) => Promise<Result>,
) => Promise<Result>;

/** What the leader's features are built from. */
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
  readonly dataFolder: string;
  /** Makes ids; virtual in tests. */
  readonly newId: () => string;
}

/** `LIMIT` of SQLite for all rows. */
export const noLimit = -1;
