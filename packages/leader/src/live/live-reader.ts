import { type BacklogLimits, LiveBacklog } from './live-backlog.ts';
import { commentText, type LiveEvent } from './live-event.ts';

const keepAlive = commentText('keep-alive');

/** One connection: what waits for it, and the promise it waits on when nothing does. */
export class LiveReader {
  readonly #backlog: LiveBacklog;
  /** Nothing is sent before: what is added until then belongs behind the snapshot. */
  #begun = false;
  #snapshot: string | undefined;
  #keepAliveDue = false;
  #ended = false;
  #wake = (): void => {};

  constructor(limits: BacklogLimits) {
    this.#backlog = new LiveBacklog(limits);
  }

  /** Lets the events flow, behind `snapshot` if there is one. */
  begin(snapshot?: string): void {
    this.#begun = true;
    this.#snapshot = snapshot;
    this.#wake();
  }

  add(event: LiveEvent): void {
    if (this.#ended) return;
    this.#backlog.add(event);
    this.#wake();
  }

  /** A sign of life, sent only when nothing else waits; signs do not pile up. */
  keepAlive(): void {
    this.#keepAliveDue = true;
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The next piece to send; undefined when the connection is to be closed. */
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
    const text = this.#backlog.take();
    if (text === undefined && !this.#keepAliveDue) return undefined;
    this.#keepAliveDue = false;
    return text ?? keepAlive;
  }
}
