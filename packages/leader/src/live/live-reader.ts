import { liveEventPermissions, type Permission } from '@lcs/contract';
import { LiveBacklog, usualBacklog } from './live-backlog.ts';
import { commentText, type LiveEvent } from './live-event.ts';

const keepAlive = commentText('keep-alive');

/** What a reader may see at this moment; undefined: its session has ended, or its token is no longer valid. */
export type LiveRights = () => ReadonlySet<Permission> | undefined;

/** One connection: its waiting events, and the promise for the next one. */
export class LiveReader {
  readonly #backlog: LiveBacklog;
  /** Nothing is sent before: events that are added until then follow the snapshot. */
  #begun = false;
  #snapshot: string | undefined;
  #comment: string | undefined;
  #ended = false;
  #wake = (): void => {};
  readonly #rights: LiveRights;
  readonly permissions: ReadonlySet<Permission>;

  constructor(rights: LiveRights, limits = usualBacklog) {
    this.#backlog = new LiveBacklog(limits);
    this.#rights = rights;
    this.permissions = rights() ?? new Set();
  }

  /** Ends the stream if the reader may no longer see the same: it connects again, with its new rights. */
  checkRights(): void {
    const now = this.#rights();
    const isSame = now?.size === this.permissions.size && [...now].every((name) => this.permissions.has(name));
    if (!isSame) this.end();
  }

  /** Starts sending events, after `snapshot` if there is one. */
  begin(snapshot?: string): void {
    this.#begun = true;
    this.#snapshot = snapshot;
    this.#wake();
  }

  add(event: LiveEvent): void {
    if (this.#ended || !this.maySee(event)) return;
    this.#backlog.add(event);
    this.#wake();
  }

  maySee({ name }: LiveEvent): boolean {
    return this.permissions.has(liveEventPermissions[name]);
  }

  /** Sends a comment, only when nothing else waits; comments do not accumulate. */
  keepAlive(comment = keepAlive): void {
    this.#comment = comment;
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The next piece to send; undefined when the connection must be closed. */
  async next(): Promise<string | undefined> {
    for (;;) {
      if (this.#ended || this.#backlog.overrun) return undefined;
      const text = this.#take();
      if (text !== undefined) return text;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(): string | undefined {
    if (!this.#begun) return undefined;
    const snapshot = this.#snapshot;
    if (snapshot !== undefined) {
      this.#snapshot = undefined;
      return snapshot;
    }
    const text = this.#backlog.take() ?? this.#comment;
    this.#comment = undefined;
    return text;
  }
}
