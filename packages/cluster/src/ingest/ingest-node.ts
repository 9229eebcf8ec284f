import { randomUUID } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { IngestWorker, ingestPath, ingestProtocol, ingestToken, type LeaderSchema } from '@lcs/leader';
import { type IdentityKey, knownIdentity, loadIdentityKey } from '@lcs/node';
import {
  type ActiveProcess,
  ActiveProcessWatch,
  byItself,
  type Clock,
  LifecycleTree,
  type Log,
  lazy,
  leaveIngest,
  machineCertificate,
  PinnedAgent,
  PostgresDatabase,
  programVersion,
  realClock,
  registerIngest,
  type Service,
  StartupError,
  StoreError,
} from '@lcs/platform';
import { storeSchema } from '../leader-schemas.ts';
import { randomFraction } from '../machine-stage.ts';
import { systemClockSync } from '../system-clock-sync.ts';

export interface IngestNodeOptions {
  /** `postgres://…`. */
  readonly database: string;
  /** That of the control processes: it has their key. */
  readonly dataFolder: string;
  readonly log: Log;
  readonly wire?: Clock;
}

/** A process that reads and stores the feeds of units for the active process of a database. */
export interface IngestNode extends Service {
  /** Resolves when another process has its units: it must end at once. */
  readonly failed: Promise<void>;
}

const againMs = 250;
const connectLimitMs = 3_000;

interface Connected {
  readonly socket: Duplex;
  readonly head: Buffer;
}

class OneIngestNode implements IngestNode {
  readonly name = 'ingest';
  readonly #options: IngestNodeOptions;
  readonly #wire: Clock;
  readonly #failed = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  /** At each start another one. */
  readonly #process = randomUUID();
  #tree: LifecycleTree | undefined;

  constructor(options: IngestNodeOptions) {
    this.#options = options;
    this.#wire = options.wire ?? realClock();
  }

  get failed(): Promise<void> {
    return this.#failed.promise;
  }

  /** @throws StartupError */
  async start(signal: AbortSignal): Promise<void> {
    const { database: url, dataFolder, log } = this.#options;
    const identity = await knownIdentity(dataFolder);
    if (identity === undefined)
      throw new StartupError(
        `The data folder ${dataFolder} is not that of a control process: name it with --data-dir.`,
      );
    const identityKey = await loadIdentityKey(dataFolder);
    const watch = new ActiveProcessWatch({ url, clock: this.#wire, log });
    const working: Service = {
      name: 'feeds of units',
      start: async () => {
        void byItself(() => this.#work(watch, identity.id, identityKey)).catch((error: unknown) => {
          log.error('The ingest process cannot go on', { error });
          this.#failed.resolve();
        });
      },
      stop: () => this.#stopWork(),
    };
    const tree = new LifecycleTree(this.name, [watch, working], { log, wire: this.#wire });
    try {
      await tree.start(signal);
    } catch (error) {
      throw error instanceof StoreError ? new StartupError(error.message, { cause: error }) : error;
    }
    this.#tree = tree;
  }

  async stop(): Promise<void> {
    const tree = this.#tree;
    this.#tree = undefined;
    await tree?.stop();
  }

  #stopWork: () => Promise<void> = async () => this.#ending.abort();

  /** Until it is stopped. */
  async #work(watch: ActiveProcessWatch, leaderId: string, identityKey: IdentityKey): Promise<void> {
    const { database: url, log } = this.#options;
    const { signal } = this.#ending;
    const ended = Promise.withResolvers<void>();
    this.#stopWork = async () => {
      this.#ending.abort();
      await ended.promise;
    };
    const database = new PostgresDatabase<LeaderSchema>({
      url,
      schema: storeSchema,
      migrations: [],
      clock: this.#wire,
      log,
      ingest: this.#process,
    });
    try {
      // The store has the form of this version only then.
      if ((await this.#nextActive(watch, signal)) === undefined) return;
      await registerIngest(url, this.#process, programVersion);
      await database.start(signal);
      const worker = new IngestWorker({
        process: this.#process,
        leaderId,
        identityKey,
        database,
        clock: this.#wire,
        wire: this.#wire,
        log,
        random: randomFraction,
        hostSynced: systemClockSync({ wire: this.#wire }),
      });
      void worker.fenced.then(() => {
        log.error('Another process reads the units of this one: it ends');
        this.#failed.resolve();
      });
      const leave = lazy(async () => {
        await database.stop();
        await leaveIngest(url, this.#process);
      });
      for (;;) {
        const active = await this.#nextActive(watch, signal);
        if (active === undefined) break;
        const connected = await this.#connect(active, identityKey, signal);
        if (connected === undefined) await this.#wire.sleep(againMs, signal).catch(() => {});
        else await worker.serve(connected, signal, leave);
      }
      await leave();
    } finally {
      ended.resolve();
    }
  }

  /** The active process of this version; undefined: this process is being stopped. */
  async #nextActive(watch: ActiveProcessWatch, signal: AbortSignal): Promise<ActiveProcess | undefined> {
    while (!signal.aborted) {
      const { active } = watch;
      if (active?.version === programVersion && active.url !== null) return active;
      await this.#wire.sleep(againMs, signal).catch(() => {});
    }
    return undefined;
  }

  async #connect(
    { url, publicKey }: ActiveProcess,
    identityKey: IdentityKey,
    signal: AbortSignal,
  ): Promise<Connected | undefined> {
    if (url === null) return undefined;
    const { protocol, hostname, port } = new URL(url);
    const isSecure = protocol === 'https:';
    const machine = await machineCertificate(identityKey.privateKey);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(connectLimitMs)]);
    const { promise, resolve } = Promise.withResolvers<Connected | undefined>();
    const send = isSecure ? httpsRequest : httpRequest;
    const sent = send({
      hostname,
      port,
      path: ingestPath,
      signal: limit,
      ...(isSecure && { agent: new PinnedAgent({ peerKey: publicKey, machine }) }),
      headers: {
        connection: 'Upgrade',
        upgrade: ingestProtocol,
        authorization: `Bearer ${ingestToken(identityKey.privateKey)}`,
      },
    });
    sent.on('upgrade', (_answer: IncomingMessage, socket: Duplex, head: Buffer) => resolve({ socket, head }));
    sent.on('response', (answer) => {
      answer.resume();
      this.#options.log.warn('The active process refuses this ingest process', { status: answer.statusCode });
      resolve(undefined);
    });
    sent.on('error', (error) => {
      this.#options.log.debug('The active process cannot be reached', { error });
      resolve(undefined);
    });
    sent.end();
    return promise;
  }
}

/** An ingest process, ready to be started. */
export const createIngestNode = (options: IngestNodeOptions): IngestNode => new OneIngestNode(options);
