import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Enrolled, UnitCredentials, Uuid } from '@lcs/contract';
import { errnoOf, type Log, type Probe, reasonOf, type Service, StartupError, writeFileDurably } from '@lcs/platform';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const LeaderLinkState = Type.Object({
  leader: Type.String(),
  leader_id: Uuid,
  standing: Type.Union([
    Type.Literal('member'),
    // Released: the leader may read the feed to its end, but its commands are rejected.
    Type.Literal('released'),
  ]),
  credentials: Type.Union([UnitCredentials, Type.Null()]),
  /** Base64 of its public key. Absent: it has proved none, because its program is older. */
  leader_key: Type.Optional(Type.String()),
  /** As of the last enrolment. */
  has_people: Type.Optional(Type.Boolean()),
});
/** The leader of this unit. */
export type LeaderLinkState = Readonly<Static<typeof LeaderLinkState>>;

/** The parts of an enrolment that the unit stores. */
type BindingEnrolment = Pick<Enrolled, 'leader' | 'leader_id' | 'credentials' | 'proof' | 'has_people'>;

export interface LeaderLinkOptions {
  /** The data folder. */
  readonly folder: string;
  readonly log: Log;
  /** Leave the leader at the start, so that the unit can join another one. */
  readonly release?: boolean;
  readonly probe?: Probe;
}

/** The leader of this unit and its credentials, in `storage/credentials.json`. A change is on disk before it is effective. */
export class LeaderLink implements Service {
  readonly name = 'leader link';
  readonly #options: LeaderLinkOptions;
  readonly #listeners = new Set<() => void>();
  #current: LeaderLinkState | undefined;
  #writes: Promise<unknown> = Promise.resolve();

  constructor(options: LeaderLinkOptions) {
    this.#options = options;
  }

  /** @throws StartupError when the file exists and cannot be read. */
  async start(): Promise<void> {
    this.#current = await this.#read();
    if (!this.#options.release || this.#current === undefined) return;
    await this.#write(undefined);
    this.#options.log.warn('This unit has left its leader', { leader: this.#current.leader });
    this.#current = undefined;
  }

  async stop(): Promise<void> {
    // The caller receives the outcome.
    await this.#writes.catch(() => {});
  }

  get current(): LeaderLinkState | undefined {
    return this.#current;
  }

  /** Records an enrolment: from now on the unit accepts commands of this leader only. Credentials that are not renewed remain valid. */
  bind({ leader, leader_id, credentials, proof, has_people }: BindingEnrolment): Promise<void> {
    return this.#change((before) => {
      const known = before?.leader_id === leader_id ? before : undefined;
      const leader_key = proof?.public_key ?? known?.leader_key;
      return {
        leader,
        leader_id,
        standing: 'member',
        credentials: credentials ?? known?.credentials ?? null,
        ...(leader_key !== undefined && { leader_key }),
        ...(has_people && { has_people }),
      };
    });
  }

  /** Records a release by the leader. */
  release(): Promise<void> {
    return this.#change((before) => before && { ...before, standing: 'released' });
  }

  /** Removes leader and credentials, unless the unit has enrolled again in the meantime. */
  dropReleased(): Promise<void> {
    return this.#change((before) => (before?.standing === 'released' ? undefined : before));
  }

  /** Calls `listener` after each change; the returned function ends the subscription. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  get #path(): string {
    return join(this.#options.folder, 'storage', 'credentials.json');
  }

  #change(next: (before: LeaderLinkState | undefined) => LeaderLinkState | undefined): Promise<void> {
    const change = this.#writes.then(async () => {
      const changed = next(this.#current);
      if (JSON.stringify(changed) === JSON.stringify(this.#current)) return;
      await this.#write(changed);
      this.#current = changed;
      for (const listener of this.#listeners) listener();
    });
    // Only the order is kept here; the caller has the outcome.
    this.#writes = change.catch(() => {});
    return change;
  }

  async #write(link: LeaderLinkState | undefined): Promise<void> {
    if (link === undefined) {
      await rm(this.#path, { force: true });
      return;
    }
    const { probe } = this.#options;
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await writeFileDurably(this.#path, `${JSON.stringify(link, null, 2)}\n`, { mode: 0o600, ...(probe && { probe }) });
  }

  async #read(): Promise<LeaderLinkState | undefined> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#path, 'utf8'));
      if (Value.Check(LeaderLinkState, value)) return value;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      if (!(error instanceof SyntaxError))
        throw new StartupError(`The file ${this.#path} cannot be read: ${reasonOf(error)}.`, { cause: error });
    }
    this.#options.log.error('The record of the leader is damaged; this unit enrols again', { path: this.#path });
    return undefined;
  }
}
