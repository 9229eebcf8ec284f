import { checkLeaderName } from '@lcs/leader';
import { knownIdentity, loadIdentityKey, nodeUsing } from '@lcs/node';
import { ActiveLock, type Clock, realClock, type Service, StartupError, StoreError } from '@lcs/platform';
import { createLeaderNode, type LeaderNode, type LeaderNodeOptions } from '../leader-node.ts';
import { checkFolder, otherFolder, sharesFolder } from './shared-folder.ts';
import { createStandbyServer, type StandbyServer } from './standby-server.ts';

export interface ControlNodeOptions extends Omit<LeaderNodeOptions, 'board' | 'activeLock' | 'clock'> {
  readonly database: string;
  /** Called when the standby has become the active process. */
  readonly onActive: (leader: LeaderNode) => void;
  /** The lock is lost: another process may be active from now on. The process must end at once, without stopping anything. */
  readonly onFenced: () => void;
}

/** A leader that waits until it is the active process of its database. */
export interface ControlNode extends Service {
  /** Known once started. */
  readonly url: string;
  /** Of the active process; undefined: this one is the standby. */
  readonly leader: LeaderNode | undefined;
  /** Resolves when the leader cannot go on; rejects with the reason when it cannot take over. */
  readonly failed: Promise<void>;
}

type State =
  | { readonly is: 'off' }
  | { readonly is: 'standby'; readonly server: StandbyServer; readonly url: string }
  | { readonly is: 'taking over'; readonly url: string }
  | { readonly is: 'active'; readonly leader: LeaderNode };

/** How long the process that was active before may take to end. */
const longestEndMs = 10_000;
const askAgainMs = 250;

class OneControlNode implements ControlNode {
  readonly name: string;
  readonly #options: ControlNodeOptions;
  readonly #wire: Clock;
  readonly #lock: ActiveLock;
  readonly #failed = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  #state: State = { is: 'off' };
  #following: Promise<void> = Promise.resolve();
  #isFolderShared = false;

  constructor(options: ControlNodeOptions) {
    this.name = options.name;
    this.#options = options;
    this.#wire = options.wire ?? realClock();
    this.#lock = new ActiveLock({ url: options.database, clock: this.#wire, log: options.log });
    // Whoever runs the node waits for it later.
    this.#failed.promise.catch(() => {});
  }

  get url(): string {
    const state = this.#state;
    if (state.is === 'off') throw new Error(`${this.name} is not running.`);
    return state.is === 'active' ? state.leader.url : state.url;
  }

  get leader(): LeaderNode | undefined {
    return this.#state.is === 'active' ? this.#state.leader : undefined;
  }

  get failed(): Promise<void> {
    return this.#failed.promise;
  }

  /** Resolves when it is active, or the standby. @throws StartupError */
  async start(signal: AbortSignal): Promise<void> {
    checkLeaderName(this.name);
    try {
      if (await this.#isFirst(signal)) await this.#activate(this.#options.port, signal);
      else await this.#standBy(signal);
    } catch (error) {
      await this.#lock.release();
      throw error instanceof StoreError ? new StartupError(error.message, { cause: error }) : error;
    }
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#following;
    const state = this.#state;
    this.#state = { is: 'off' };
    try {
      if (state.is === 'standby') await state.server.stop();
      if (state.is === 'active') await state.leader.stop();
    } finally {
      await this.#lock.release();
    }
  }

  /** Whether no other process is active; otherwise that one has this data folder, so that its keys are there. */
  async #isFirst(signal: AbortSignal): Promise<boolean> {
    while (!(await this.#lock.request())) {
      await this.#askActive();
      if (this.#isFolderShared) return false;
      this.#options.log.warn('The active process does not answer; asking again');
      await this.#wire.sleep(askAgainMs, signal);
    }
    return true;
  }

  async #standBy(signal: AbortSignal): Promise<void> {
    const { host, port, dataFolder, certificatePaths, log } = this.#options;
    const identityKey = await loadIdentityKey(dataFolder);
    const server = await createStandbyServer({
      host,
      port,
      dataFolder,
      identityKey,
      certificatePaths,
      log,
      wire: this.#wire,
    });
    await server.start(signal);
    this.#state = { is: 'standby', server, url: server.url };
    log.info('Another process is active: this one is the standby');
    this.#following = this.#takeOver(server).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) this.#failed.reject(error);
    });
  }

  async #takeOver(server: StandbyServer): Promise<void> {
    const { signal } = this.#ending;
    await this.#lock.wait(signal, () => this.#askActive());
    this.#options.log.warn('No process is active any more: this one takes over');
    const { url, port } = server;
    await server.stop();
    this.#state = { is: 'taking over', url };
    const leader = await this.#activate(port, signal);
    this.#options.onActive(leader);
  }

  /** @throws StartupError when the active process has another data folder */
  async #askActive(): Promise<void> {
    if (this.#isFolderShared) return;
    const { dataFolder } = this.#options;
    checkFolder(dataFolder, await knownIdentity(dataFolder), await this.#lock.lastActive());
    const isShared = await sharesFolder(this.#lock, dataFolder, this.#wire);
    if (isShared === false) throw otherFolder(dataFolder);
    // It may just have ended; the next request for the lock shows it.
    this.#isFolderShared = isShared === true;
  }

  async #activate(port: number, signal: AbortSignal): Promise<LeaderNode> {
    const { dataFolder, onFenced, log } = this.#options;
    void this.#lock.lost.then(() => {
      log.error('The lock of the active process is lost: this process ends at once');
      onFenced();
    });
    checkFolder(dataFolder, await knownIdentity(dataFolder), await this.#lock.lastActive());
    await this.#untilFolderIsFree(signal);
    const leader = createLeaderNode({ ...this.#options, port, activeLock: this.#lock });
    await leader.start(signal);
    this.#state = { is: 'active', leader };
    void leader.failed.then(this.#failed.resolve);
    return leader;
  }

  /** The earlier active process of this machine may still be ending; then it is too late for it to store anything. */
  async #untilFolderIsFree(signal: AbortSignal): Promise<void> {
    const deadlineMs = this.#wire.monotonic() + longestEndMs;
    while ((await nodeUsing(this.#options.dataFolder)) !== undefined && this.#wire.monotonic() < deadlineMs)
      await this.#wire.sleep(100, signal);
  }
}

/** A control process, ready to be started. */
export const createControlNode = (options: ControlNodeOptions): ControlNode => new OneControlNode(options);
