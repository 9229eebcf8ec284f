import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { FeedAnswer, LogEntry, UnitFault } from '@lcs/contract';
import type { Cancel, Clock, IngestRegister, Log, UpgradeHandler } from '@lcs/platform';
import type { Followers } from '../follower/feed-followers.ts';
import type { FeedBatch, FeedMark } from '../follower/ingest-port.ts';
import { type FollowedUnit, type FromIngest, ingestProtocol, type ToIngest } from './ingest-messages.ts';
import { MessageChannel } from './message-channel.ts';

export interface IngestProcessesOptions {
  readonly register: Pick<IngestRegister, 'processes' | 'fence'>;
  readonly wire: Clock;
  readonly log: Log;
  readonly factsOf: (unit: string) => FollowedUnit;
  /** The position up to which this process knows what is stored. */
  readonly positionOf: (unit: string) => FeedMark | undefined;
  readonly onAnswer: (unit: string, answer: FeedAnswer) => void;
  readonly onPosition: (unit: string, mark: FeedMark) => void;
  readonly onRefusal: (unit: string, fault: UnitFault) => void;
  /** The batch is on disk. */
  readonly onStored: (batch: FeedBatch) => void;
  readonly onCorrection: () => void;
  /** The entry is in the event log. */
  readonly onLogged: (entry: LogEntry) => void;
}

/** Processes that the last active process had need this long for connecting to this one. */
const reconnectMs = 4_000;
const factsEveryMs = 1_000;
const fenceAgainMs = 500;

type Holder = 'nobody' | 'this process' | IngestProcess;

interface Share {
  holder: Holder;
  isWanted: boolean;
  moving: Promise<void> | undefined;
  /** As the holder knows them. */
  facts: string;
}

/** An ingest process that is connected. */
class IngestProcess {
  readonly id: string;
  readonly channel: MessageChannel<ToIngest, FromIngest>;
  /** Resolves when it can store nothing any more. */
  readonly gone = Promise.withResolvers<void>();
  readonly #answers = new Map<string, PromiseWithResolvers<void>>();
  isLeaving = false;
  #number = 0;

  constructor(id: string, channel: MessageChannel<ToIngest, FromIngest>) {
    this.id = id;
    this.channel = channel;
  }

  /** Resolves when it does not read the unit any more, or can store nothing. */
  unfollow(unit: string): Promise<void> {
    return this.#request(`unfollowed ${unit}`, { is: 'unfollow', unit });
  }

  settle(): Promise<void> {
    this.#number += 1;
    return this.#request(`settled ${this.#number}`, { is: 'settle', number: this.#number });
  }

  answered(key: string): void {
    this.#answers.get(key)?.resolve();
    this.#answers.delete(key);
  }

  async #request(key: string, message: ToIngest): Promise<void> {
    const answer = this.#answers.get(key) ?? Promise.withResolvers<void>();
    this.#answers.set(key, answer);
    this.channel.send(message);
    await Promise.race([answer.promise, this.gone.promise]);
  }
}

/**
 * Shares the units out among the ingest processes that are connected; without one, this process reads them itself. A unit goes from one to
 * another when the first has confirmed that it does not read it any more, or can store nothing.
 */
export class IngestProcesses implements Followers {
  readonly #options: IngestProcessesOptions;
  readonly #local: Followers;
  readonly #shares = new Map<string, Share>();
  readonly #processes = new Map<string, IngestProcess>();
  /** Registered, but neither connected nor fenced: they may still read units. */
  readonly #unknown = new Set<string>();
  /** Resolves when there are none of those. */
  readonly #allKnown = Promise.withResolvers<void>();
  readonly #cancels: Cancel[] = [];
  #state: 'new' | 'up' | 'stopped' = 'new';

  constructor(options: IngestProcessesOptions, local: Followers) {
    this.#options = options;
    this.#local = local;
  }

  /** @throws StoreError */
  async start(): Promise<void> {
    const { register, wire } = this.#options;
    for (const id of await register.processes()) this.#unknown.add(id);
    this.#state = 'up';
    this.#noteKnown();
    this.#cancels.push(
      wire.after(reconnectMs, () => this.#fenceUnknown()),
      wire.every(factsEveryMs, () => this.#sendFacts()),
    );
    this.#moveAll();
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    for (const cancel of this.#cancels.splice(0)) cancel();
    for (const { channel } of this.#processes.values()) channel.close();
    await this.#local.stop();
  }

  follow(unit: string): void {
    const share = this.#shares.get(unit);
    if (share === undefined) this.#shares.set(unit, { holder: 'nobody', isWanted: true, moving: undefined, facts: '' });
    else share.isWanted = true;
    this.#move(unit);
  }

  async unfollow(unit: string): Promise<void> {
    const share = this.#shares.get(unit);
    if (share === undefined) return;
    share.isWanted = false;
    this.#move(unit);
    await share.moving;
  }

  enrolled(unit: string): void {
    const holder = this.#shares.get(unit)?.holder;
    this.#sendFacts();
    if (holder === 'this process') this.#local.enrolled(unit);
    else if (holder instanceof IngestProcess) holder.channel.send({ is: 'enrolled', unit });
  }

  /** Resolves when every batch that began elsewhere before this call is stored or can never be. */
  async settled(): Promise<void> {
    await this.#allKnown.promise;
    await Promise.all([...this.#processes.values()].map((process) => process.settle()));
  }

  /** Series were removed or closed. */
  forgetSeries(): void {
    for (const { channel } of this.#processes.values()) channel.send({ is: 'forget series' });
  }

  /** The connection of an ingest process. */
  readonly accept: UpgradeHandler = (_request, socket, head, caller) => {
    if (caller.kind !== 'leader' || caller.id !== 'ingest' || this.#state !== 'up') {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${ingestProtocol}\r\n\r\n`);
    this.#greet(socket, head);
  };

  #greet(socket: Duplex, head: Buffer): void {
    const { wire, log } = this.#options;
    let process: IngestProcess | undefined;
    const channel: MessageChannel<ToIngest, FromIngest> = new MessageChannel({
      socket,
      head,
      wire,
      onMessage: (message: FromIngest) => {
        if (process !== undefined) this.#receive(process, message);
        else if (message.is === 'hello') {
          process = new IngestProcess(message.process, channel);
          this.#admit(process).catch((error: unknown) => {
            log.warn('An ingest process could not be admitted', { error });
            channel.close();
          });
        } else channel.close();
      },
    });
  }

  async #admit(process: IngestProcess): Promise<void> {
    const { register, log } = this.#options;
    const { id, channel } = process;
    const isRegistered = (await register.processes()).includes(id);
    if (!isRegistered || this.#processes.has(id) || this.#state !== 'up') {
      channel.send({ is: 'fenced' });
      channel.end();
      return;
    }
    this.#processes.set(id, process);
    this.#unknown.delete(id);
    this.#noteKnown();
    log.info('An ingest process has joined', { process: id, processes: this.#processes.size });
    void channel.ended.then(() => this.#leave(process));
    this.#moveAll();
  }

  async #leave(process: IngestProcess): Promise<void> {
    const { log } = this.#options;
    process.isLeaving = true;
    if (this.#state !== 'up') return;
    log.warn('An ingest process is gone', { process: process.id });
    await this.#fence(process.id);
    this.#processes.delete(process.id);
    for (const share of this.#shares.values()) if (share.holder === process) share.holder = 'nobody';
    process.gone.resolve();
    this.#moveAll();
  }

  async #fence(id: string): Promise<void> {
    const { register, wire, log } = this.#options;
    while (this.#state === 'up') {
      try {
        return await register.fence(id);
      } catch (error) {
        log.warn('An ingest process could not be fenced; the leader retries', { process: id, error });
        await wire.sleep(fenceAgainMs);
      }
    }
  }

  #fenceUnknown(): void {
    for (const id of this.#unknown)
      void this.#fence(id).then(() => {
        this.#unknown.delete(id);
        this.#noteKnown();
        this.#moveAll();
      });
  }

  #noteKnown(): void {
    if (this.#unknown.size === 0) this.#allKnown.resolve();
  }

  #receive(process: IngestProcess, message: FromIngest): void {
    const { onAnswer, onPosition, onRefusal, onStored, onCorrection, onLogged } = this.#options;
    switch (message.is) {
      case 'answered':
        onAnswer(message.unit, message.answer);
        return;
      case 'position':
        onPosition(message.unit, message.mark);
        return;
      case 'refused':
        onRefusal(message.unit, message.fault);
        return;
      case 'stored': {
        const { forgotten, ...batch } = message.batch;
        onPosition(batch.unit, { epoch: batch.epoch, seq: batch.upTo });
        // JSON has no undefined.
        onStored({ ...batch, forgotten });
        process.channel.send({ is: 'taken', number: message.number });
        return;
      }
      case 'unfollowed':
        process.answered(`unfollowed ${message.unit}`);
        return;
      case 'settled':
        process.answered(`settled ${message.number}`);
        return;
      case 'corrected':
        onCorrection();
        return;
      case 'logged':
        onLogged(message.entry);
        return;
      case 'hello':
        process.channel.close();
        return;
      case 'alive':
    }
  }

  #moveAll(): void {
    for (const unit of this.#shares.keys()) this.#move(unit);
  }

  #move(unit: string): void {
    const share = this.#shares.get(unit);
    if (share === undefined || share.moving !== undefined) return;
    if (this.#isSettled(unit, share)) return;
    share.moving = this.#moveOne(unit, share)
      .catch((error: unknown) => this.#options.log.error('A unit could not be handed over', { unit, error }))
      .finally(() => {
        share.moving = undefined;
        if (!share.isWanted && share.holder === 'nobody') this.#shares.delete(unit);
        this.#move(unit);
      });
  }

  #isSettled(unit: string, share: Share): boolean {
    const next = share.isWanted ? this.#nextHolder(unit) : 'nobody';
    return next === share.holder;
  }

  async #moveOne(unit: string, share: Share): Promise<void> {
    const { holder } = share;
    if (holder === 'this process') await this.#local.unfollow(unit);
    else if (holder !== 'nobody') await holder.unfollow(unit);
    share.holder = 'nobody';
    const next = share.isWanted ? this.#nextHolder(unit) : 'nobody';
    if (next === 'nobody') return;
    share.holder = next;
    if (next === 'this process') {
      this.#local.follow(unit);
      return;
    }
    const of = this.#options.factsOf(unit);
    share.facts = JSON.stringify(of);
    next.channel.send({ is: 'follow', of, from: this.#options.positionOf(unit) ?? null });
  }

  /** The same unit goes to the same process as long as that is there; few units move when another one joins (rendezvous hashing). */
  #nextHolder(unit: string): Holder {
    if (this.#state !== 'up' || this.#unknown.size > 0) return 'nobody';
    let best: IngestProcess | undefined;
    let bestWeight = '';
    for (const process of this.#processes.values()) {
      if (process.isLeaving) continue;
      const weight = createHash('sha256').update(`${unit} ${process.id}`).digest('hex');
      if (best === undefined || weight > bestWeight) [best, bestWeight] = [process, weight];
    }
    // One that is leaving may still store.
    return best ?? (this.#processes.size > 0 ? 'nobody' : 'this process');
  }

  /** Addresses and credentials change. */
  #sendFacts(): void {
    for (const [unit, share] of this.#shares) {
      if (!(share.holder instanceof IngestProcess)) continue;
      const of = this.#options.factsOf(unit);
      const facts = JSON.stringify(of);
      if (facts === share.facts) continue;
      share.facts = facts;
      share.holder.channel.send({ is: 'facts', of });
    }
  }
}
