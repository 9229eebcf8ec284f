import type { Target } from './requests.ts';
import { type InputKind, inputKinds } from './special-inputs.ts';

/** What calls of one route have come to. */
interface Tally {
  sent: number;
  succeeded: number;
  /** Answers that were no success, by status and code. */
  readonly refusals: Map<string, number>;
}

/** Of a route that was called more seldom chance says more than the route. */
const leastCalls = 10;
/** The share of successes that each route must reach, and the one below which only what should succeed is sent to it. */
export const leastShare = 0.2;
const wantedShare = 0.5;

const shareOf = ({ sent, succeeded }: Tally): number => succeeded / Math.max(sent, 1);

/** What was shown of each route: how often it was called, how often it succeeded, and what it said otherwise. */
export class Shown {
  readonly #tallies = new Map<string, Tally>();
  readonly #kinds: Readonly<Record<InputKind, { sent: number; succeeded: number }>> = {
    aliases: { sent: 0, succeeded: 0 },
    'deep nesting': { sent: 0, succeeded: 0 },
    'prototype names': { sent: 0, succeeded: 0 },
    'dot segments': { sent: 0, succeeded: 0 },
  };
  #special = 0;

  constructor(targets: readonly Target[]) {
    for (const { node, operation } of targets)
      this.#tallies.set(`${node} ${operation}`, { sent: 0, succeeded: 0, refusals: new Map() });
  }

  /** `refusal`: what was answered instead of a success. */
  count({ node, operation }: Pick<Target, 'node' | 'operation'>, refusal?: string): void {
    const tally = this.#tallies.get(`${node} ${operation}`);
    if (tally === undefined) throw new Error(`${operation} is no route of ${node}`);
    tally.sent += 1;
    if (refusal === undefined) tally.succeeded += 1;
    else tally.refusals.set(refusal, (tally.refusals.get(refusal) ?? 0) + 1);
  }

  /** A request with an input of a special kind: it counts for no route. */
  countSpecial(): void {
    this.#special += 1;
  }

  /** Which kinds of input occurred in one request. */
  countKinds(kinds: ReadonlySet<InputKind>, succeeded: boolean): void {
    for (const kind of kinds) {
      this.#kinds[kind].sent += 1;
      if (succeeded) this.#kinds[kind].succeeded += 1;
    }
  }

  /** How often each kind of input occurred, for people. */
  get kinds(): string {
    return inputKinds
      .map((kind) => `${kind} ${this.#kinds[kind].sent} (${this.#kinds[kind].succeeded} succeeded)`)
      .join(', ');
  }

  get missingKinds(): readonly InputKind[] {
    return inputKinds.filter((kind) => this.#kinds[kind].sent === 0);
  }

  /** Kinds of input that were refused each time: within the limits they must be accepted. */
  get refusedKinds(): readonly InputKind[] {
    return inputKinds.filter((kind) => this.#kinds[kind].succeeded === 0);
  }

  /** Whether a route has seldom succeeded so far, so that the next call should. */
  isBehind({ node, operation }: Target): boolean {
    const tally = this.#tallies.get(`${node} ${operation}`);
    return tally !== undefined && shareOf(tally) < wantedShare;
  }

  /** Takes in what was shown elsewhere. */
  add(other: Shown): void {
    this.#special += other.#special;
    for (const kind of inputKinds) {
      this.#kinds[kind].sent += other.#kinds[kind].sent;
      this.#kinds[kind].succeeded += other.#kinds[kind].succeeded;
    }
    for (const [route, { sent, succeeded, refusals }] of other.#tallies) {
      const tally = this.#tallies.get(route) ?? { sent: 0, succeeded: 0, refusals: new Map() };
      this.#tallies.set(route, tally);
      tally.sent += sent;
      tally.succeeded += succeeded;
      for (const [refusal, count] of refusals) tally.refusals.set(refusal, (tally.refusals.get(refusal) ?? 0) + count);
    }
  }

  get routes(): number {
    return this.#tallies.size;
  }

  get requests(): number {
    return [...this.#tallies.values()].reduce((sum, { sent }) => sum + sent, this.#special);
  }

  /** Lines for people, the routes that succeeded least first. */
  get lines(): readonly string[] {
    return [...this.#tallies]
      .sort(([, a], [, b]) => shareOf(a) - shareOf(b))
      .map(([route, tally]) => {
        const refusals = [...tally.refusals].sort(([, a], [, b]) => b - a).map(([why, count]) => `${count} ${why}`);
        const share = shareOf(tally).toFixed(2);
        return `${share} ${route} (${tally.succeeded} of ${tally.sent}) ${refusals.join(', ')}`;
      });
  }

  /** Routes that miss the share, of those that were called often enough. */
  get tooSeldom(): readonly string[] {
    const missing = [...this.#tallies].filter(([, tally]) => tally.sent >= leastCalls && shareOf(tally) < leastShare);
    return missing.map(([route, { sent, succeeded }]) => `${route}: ${succeeded} of ${sent}`);
  }

  /** Routes that were not called at all. */
  get neverCalled(): readonly string[] {
    return [...this.#tallies].filter(([, { sent }]) => sent === 0).map(([route]) => route);
  }
}
