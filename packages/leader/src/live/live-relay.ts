import type { LiveBatch } from './live-broadcast.ts';
import { type LiveEvent, sequenceOf } from './live-event.ts';
import type { LivePosition } from './live-position.ts';
import { LiveReader } from './live-reader.ts';
import { RecentEvents } from './recent-events.ts';

/** Beside the run of the active process that of the one before, which may still send some. */
const mostRuns = 2;

interface KnownRun {
  readonly recent: RecentEvents;
  newest: number;
}

/** The rest of the stream of one client, after its snapshot: from a position on, without a gap. */
class LiveFollower {
  readonly #run: string;
  readonly #reader: LiveReader;
  /** Of the last event that the client has, or may not see. */
  #reached: number;
  /** At the last report of the active process. */
  #due = 0;

  constructor(run: string, sequence: number, permissions: LivePosition['permissions']) {
    const seen = new Set(permissions);
    this.#run = run;
    this.#reached = sequence;
    this.#reader = new LiveReader(() => seen);
    this.#reader.begin();
  }

  /** Ends when an event between is missing. */
  add(run: string, event: LiveEvent): void {
    if (run !== this.#run || event.sequence <= this.#reached) return;
    if (event.sequence > this.#reached + 1) this.end();
    this.#reached = event.sequence;
    // An ended one takes no more.
    this.#reader.add(event);
  }

  /** The active process still serves the client, and has sent the events up to there. Ends when those of the last report have not come. */
  report(position: LivePosition): void {
    const sequence = sequenceOf(this.#run, position.after);
    if (sequence === undefined || this.#reached < this.#due) this.end();
    this.#due = sequence ?? this.#due;
    this.#reader.keepAlive();
  }

  end(): void {
    this.#reader.end();
  }

  /** The next piece to send; undefined when the client must connect again. */
  next(): Promise<string | undefined> {
    return this.#reader.next();
  }
}

/** Receives the events that the active process broadcasts, for clients of this process. */
export class LiveRelay {
  /** Those that were heard last, in that order. */
  readonly #runs = new Map<string, KnownRun>();
  readonly #followers = new Set<LiveFollower>();
  #losses = 0;

  /** How often events may have been lost so far. */
  get losses(): number {
    return this.#losses;
  }

  /** @param text of `LiveBroadcast` */
  receive(text: string): void {
    const { run, events }: LiveBatch = JSON.parse(text);
    for (const event of events) {
      this.#keep(run, event);
      for (const follower of this.#followers) follower.add(run, event);
    }
  }

  /** Events may be missing: all clients must connect again. */
  lose(): void {
    this.#losses += 1;
    this.#runs.clear();
    for (const follower of this.#followers) follower.end();
  }

  /**
   * The events after the position, those included that came before the position was known.
   * @param losses before the position was requested
   */
  follow({ after, permissions }: LivePosition, losses: number): LiveFollower {
    const run = after.slice(0, Math.max(0, after.lastIndexOf('-')));
    const sequence = sequenceOf(run, after);
    const follower = new LiveFollower(run, sequence ?? 0, permissions);
    const known = this.#runs.get(run);
    const missed = known === undefined ? [] : known.recent.after(sequence ?? 0, Math.max(known.newest, sequence ?? 0));
    if (sequence === undefined || missed === undefined || losses !== this.#losses) follower.end();
    for (const event of missed ?? []) follower.add(run, event);
    this.#followers.add(follower);
    return follower;
  }

  leave(follower: LiveFollower): void {
    this.#followers.delete(follower);
  }

  #keep(run: string, event: LiveEvent): void {
    const { sequence } = event;
    const known = this.#runs.get(run);
    // Nothing is broadcast while nobody waits for it.
    const isNext = known !== undefined && known.newest + 1 === sequence;
    const kept = isNext ? known : { recent: new RecentEvents(), newest: sequence };
    kept.recent.add(event);
    kept.newest = sequence;
    this.#runs.delete(run);
    this.#runs.set(run, kept);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= mostRuns) return;
      this.#runs.delete(oldest);
    }
  }
}
