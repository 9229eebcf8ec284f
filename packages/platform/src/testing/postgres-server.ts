import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PostgresConnection } from '../store/postgres/postgres-connection.ts';

/** A server of PostgreSQL for tests, without durability. */
export interface PostgresServer {
  /** The address of one of its databases. */
  url(database: string): string;
}

const debianFolder = '/usr/lib/postgresql';

/** Folders that may have the programs; Debian has one for each version. */
const candidates = (): string[] => {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort((a, b) => Number(b) - Number(a)) : [];
  return [
    ...versions.map((version) => join(debianFolder, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
};

const programs = candidates().find(
  (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
);

/** Whether tests with PostgreSQL can run here; where they must (`LCS_POSTGRES_REQUIRED`), a missing one is an error. */
export const isPostgresInstalled = programs !== undefined;
if (!isPostgresInstalled && process.env.LCS_POSTGRES_REQUIRED) throw new Error('PostgreSQL is not installed.');

/** The server refuses root: then it runs as the user `nobody`. */
const serverUser = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'))
    ?.split(':');
  return { uid: Number(entry?.[2]), gid: Number(entry?.[3]) };
};

/** Where the server finds its folder: that of the tests is closed to other users. */
const placeOf = ({ uid }: { uid?: number }): string => {
  if (uid === undefined) return tmpdir();
  return existsSync('/dev/shm') ? '/dev/shm' : '/tmp';
};

const settings = [
  ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off', 'listen_addresses='],
  ...['max_connections=500', 'shared_buffers=64MB', 'wal_level=minimal', 'max_wal_senders=0'],
];

/** Starts the server, waits for the end of its input (the end of the tests' process, whatever ends that), and ends it. */
const untilEndOfInput = `
"$1/postgres" -D "$2/data" -k "$2" $3 >"$2/log" 2>&1 &
server=$!
read -r _
kill -QUIT $server
wait $server
`;
const removeAll = 'rm -rf "$2"';

/** Of a server that keeps what it has confirmed when it is killed. */
const lastingSettings = ['listen_addresses=', 'max_connections=200', 'shared_buffers=64MB'];

const pauseMs = 20;
const longestStartMs = 60_000;

const logOf = (folder: string): string => {
  const log = join(folder, 'log');
  return existsSync(log) ? readFileSync(log, 'utf8') : '';
};

async function waitForSocket(folder: string): Promise<void> {
  const deadline = Date.now() + longestStartMs;
  while (!logOf(folder).includes('ready to accept connections')) {
    if (Date.now() > deadline || logOf(folder).includes('FATAL:  pre-existing'))
      throw new Error(`PostgreSQL did not start: ${logOf(folder)}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** A folder with a new cluster of databases, and `log`. */
function makeCluster(bin: string): string {
  const user = serverUser();
  const folder = mkdtempSync(join(placeOf(user), `lcs-tests-${process.pid}-pg-`));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const made = spawnSync(
    join(bin, 'initdb'),
    [
      '-D',
      join(folder, 'data'),
      '-U',
      'lcs',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ],
    { ...user, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  return folder;
}

const urlIn = (folder: string, database: string): string => `postgres://lcs@${encodeURIComponent(folder)}/${database}`;

/** The shell that runs the server; it does not keep this process alive. */
function runServer(bin: string, folder: string, options: readonly string[], end: string) {
  const script = `${untilEndOfInput.replace('$3', options.map((setting) => `-c ${setting}`).join(' '))}${end}`;
  const shell = spawn('/bin/sh', ['-c', script, 'sh', bin, folder], {
    ...serverUser(),
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.unref();
  return shell;
}

async function start(bin: string): Promise<PostgresServer> {
  const folder = makeCluster(bin);
  runServer(bin, folder, settings, removeAll);
  await waitForSocket(folder);
  return { url: (database) => urlIn(folder, database) };
}

/** A server of one test, which kills it. What it has confirmed is there after its next start. */
export class KillablePostgres implements AsyncDisposable {
  readonly #bin: string;
  readonly #folder: string;
  #shell: ReturnType<typeof runServer> | undefined;

  private constructor(bin: string) {
    this.#bin = bin;
    this.#folder = makeCluster(bin);
  }

  static async make(): Promise<KillablePostgres> {
    if (programs === undefined) throw new Error('PostgreSQL is not installed.');
    const made = new KillablePostgres(programs);
    await made.start();
    return made;
  }

  url(database: string): string {
    return urlIn(this.#folder, database);
  }

  async start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      rmSync(join(this.#folder, 'log'), { force: true });
      this.#shell = runServer(this.#bin, this.#folder, lastingSettings, '');
      try {
        return await waitForSocket(this.#folder);
      } catch (error) {
        await this.#endShell();
        // Processes of the killed one are still ending.
        if (attempt === 50 || !logOf(this.#folder).includes('pre-existing')) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Kills the server itself; the processes of its connections end when they notice. */
  async kill(): Promise<void> {
    const [pid] = readFileSync(join(this.#folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
    await this.#endShell();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endShell();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #endShell(): Promise<void> {
    const shell = this.#shell;
    this.#shell = undefined;
    if (shell === undefined || shell.exitCode !== null) return;
    const ended = once(shell, 'exit');
    shell.stdin?.end();
    await ended;
  }
}

let server: Promise<PostgresServer> | undefined;

/** The server of all tests of this process; it ends with the process. */
export function testPostgres(): Promise<PostgresServer> {
  if (programs === undefined) throw new Error('PostgreSQL is not installed.');
  server ??= start(programs);
  return server;
}

/** Makes and changes databases of a test server. */
export class PostgresAdmin implements AsyncDisposable {
  readonly #connection: PostgresConnection;

  private constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  static async open(url: string): Promise<PostgresAdmin> {
    return new PostgresAdmin(await PostgresConnection.open({ url, schema: 'public', readOnly: false }));
  }

  run(statement: string): Promise<void> {
    return this.#connection.script(statement);
  }

  async rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#connection.run({ text, values: [] })).rows;
  }

  async hasDatabase(name: string): Promise<boolean> {
    const text = 'select 1 as found from pg_database where datname = $1';
    return (await this.#connection.run({ text, values: [name] })).rows.length > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
  }
}
