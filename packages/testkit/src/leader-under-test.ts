import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLeaderNode, type LeaderNode } from '@lcs/cluster';
import { AcceptedTask, createClient, type FinishedTask, leaderApi, nodeApi, waitForTask } from '@lcs/contract';
import { datasetsHere, readerHere } from '@lcs/leader/testing';
import { memoryLog, realClock, VirtualClock } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import { Value } from 'typebox/value';
import { Caller, type Observe, reportAnswers } from './caller.ts';
import { type EditableStore, postgresOf } from './postgres-of.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { shortPause, turnOfEventLoop } from './turns.ts';

/** Where a node keeps its database, below its data folder. */
const storeFile = 'storage/leader.sqlite';

/** Of argon2. */
const leastCost = { memory: 8, passes: 1, parallelism: 1 };

const wholeApi = { ...leaderApi, ...nodeApi };

export interface LeaderUnderTestOptions {
  readonly observe?: Observe;
  /** A folder that outlives this leader (for restarts); otherwise a temporary one that goes with it. */
  readonly dataFolder?: string;
  readonly clock?: VirtualClock;
  /** Where it keeps its store. Default: as LCS_TEST_DATABASE names it, else SQLite. */
  readonly engine?: 'sqlite' | 'postgres';
  readonly configure?: Partial<Parameters<typeof createLeaderNode>[0]>;
}

export interface LeaderUnderTest extends AsyncDisposable {
  readonly node: LeaderNode;
  readonly url: string;
  readonly dataFolder: string;
  /** Where it keeps its store. */
  readonly engine: 'sqlite' | 'postgres';
  readonly clock: VirtualClock;
  readonly log: ReturnType<typeof memoryLog>;
  /** Calls by operation ID; the test asserts the answers. */
  readonly api: Caller<typeof wholeApi>;
  /** Typed calls that throw on errors, to prepare a test. */
  readonly client: ReturnType<typeof createClient<typeof wholeApi>>;
  /** Waits for the task that an answer has accepted. */
  finished(accepted: unknown, headers?: Readonly<Record<string, string>>): Promise<FinishedTask>;
  /** All rows of a table as they are on disk, in the order of their creation. */
  storedRows(table: string): readonly Readonly<Record<string, unknown>>[];
  /** Changes the store beside the leader, in one transaction. */
  editStore<Result>(work: (database: EditableStore) => Result): Promise<Result>;
  /** Makes the store fail from now on, as a damaged disk would: its tables are gone. */
  breakStore(): Promise<void>;
}

function readRows(path: string, table: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(`select * from "${table}"`).all();
  } finally {
    database.close();
  }
}

function dropTables(database: DatabaseSync): void {
  for (const { name } of database.prepare("select name from sqlite_schema where type = 'table'").all()) {
    if (!String(name).startsWith('sqlite_')) database.exec(`drop table if exists "${name}"`);
  }
}

const isLocked = (error: unknown) => error instanceof Error && error.message.includes('locked');

/** The leader's own transactions end on this thread: waiting for them must not block it. */
async function betweenWrites<Result>(path: string, work: (database: DatabaseSync) => Result): Promise<Result> {
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma foreign_keys = off');
    for (;;) {
      try {
        database.exec('begin immediate');
        break;
      } catch (error) {
        if (!isLocked(error)) throw error;
        await turnOfEventLoop();
      }
    }
    const result = work(database);
    database.exec('commit');
    return result;
  } finally {
    database.close();
  }
}

/** A leader in this process on free ports, on virtual time, every answer checked against its declaration. */
export async function startLeader(options: LeaderUnderTestOptions = {}): Promise<LeaderUnderTest> {
  const folder = options.dataFolder === undefined ? await temporaryFolder('leader') : undefined;
  const dataFolder = options.dataFolder ?? folder?.path ?? '';
  const clock = options.clock ?? new VirtualClock();
  const log = memoryLog();
  const postgres =
    (options.engine ?? process.env.LCS_TEST_DATABASE) === 'postgres' ? await postgresOf(dataFolder) : undefined;
  const node = createLeaderNode({
    name: 'lead',
    dataFolder,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    mqttTlsPort: 0,
    log,
    clock,
    wire: realClock(),
    checkResponses: true,
    writer: testWriter(),
    // Those of PostgreSQL wait for its answers, which would block the tests.
    startReader: postgres === undefined ? readerHere : undefined,
    startDatasets: postgres === undefined ? datasetsHere : undefined,
    ...(postgres && { database: postgres.url }),
    // The state of this computer is not asked: a program for each leader.
    hostSynced: () => false,
    // The real costs take 20 and 64 MiB for each sign-in and each code.
    passwordCost: leastCost,
    codeCost: leastCost,
    // Tests send faster than people; those of the limits set them.
    requestRates: {},
    // No test asks the internet.
    pluginIndexUrl: 'off',
    ...reportAnswers(options.observe),
    ...options.configure,
  });
  await node.start(new AbortController().signal);
  return {
    node,
    url: node.url,
    dataFolder,
    engine: postgres === undefined ? 'sqlite' : 'postgres',
    clock,
    log,
    api: new Caller(wholeApi, node.url, options.observe),
    client: createClient(wholeApi, { baseUrl: node.url }),
    finished: (accepted, headers = {}) => {
      if (!Value.Check(AcceptedTask, accepted)) throw new Error(`no accepted task: ${JSON.stringify(accepted)}`);
      return waitForTask(node.url, accepted, { sleep: shortPause, headers });
    },
    storedRows: (table) => postgres?.rows(table) ?? readRows(join(dataFolder, storeFile), table),
    editStore: async (work) =>
      postgres === undefined ? betweenWrites(join(dataFolder, storeFile), work) : postgres.edit(work),
    breakStore: () => postgres?.breakStore() ?? betweenWrites(join(dataFolder, storeFile), dropTables),
    [Symbol.asyncDispose]: async () => {
      await node.stop();
      postgres?.close();
      await folder?.[Symbol.asyncDispose]();
    },
  };
}
