import { expect } from 'vitest';
import type { Target } from './requests.ts';
import { type InputKind, inputKinds } from './special-inputs.ts';

/** The results of the calls of one route. */
interface RouteCount {
  sent: number;
  succeeded: number;
  /** Answers that were no success, by status and code. */
  readonly refusals: Map<string, number>;
}

/** The share of successes that each route must reach, and the one below which only what should succeed is sent to it. */
const leastShare = 0.2;
/** A route misses the share when as few successes as it had are less probable than this with that share. */
const leastProbability = 0.01;
const wantedShare = 0.5;
/** From so many requests on shares of successes are required; of a route with few calls, only a result that is no chance counts. */
const enoughForShares = 4_000;

/** The counts as JSON. */
interface RequestCountsJson {
  readonly special: number;
  readonly kinds: Readonly<Record<InputKind, { readonly sent: number; readonly succeeded: number }>>;
  readonly routes: readonly (readonly [
    route: string,
    count: {
      readonly sent: number;
      readonly succeeded: number;
      readonly refusals: readonly (readonly [string, number])[];
    },
  ])[];
}

type Successes = Pick<RouteCount, 'sent' | 'succeeded'>;

/** The probability of at most so many successes, if each call succeeds with the share that must be reached. */
function probabilityOf({ sent, succeeded }: Successes): number {
  let ofExactly = (1 - leastShare) ** sent;
  let sum = ofExactly;
  for (let successes = 1; successes <= succeeded; successes += 1) {
    ofExactly *= ((sent - successes + 1) / successes) * (leastShare / (1 - leastShare));
    sum += ofExactly;
  }
  return sum;
}

const shareOf = ({ sent, succeeded }: Successes): number => succeeded / Math.max(sent, 1);

/** Whether so few successes show that the share is missed. Of few calls, few successes are chance. */
export const isTooSeldom = (count: Successes): boolean =>
  shareOf(count) < leastShare && probabilityOf(count) < leastProbability;

/** Results of each route: number of calls, of successes, and the errors. */
export class RequestCounts {
  readonly #routes = new Map<string, RouteCount>();
  readonly #kinds: Readonly<Record<InputKind, { sent: number; succeeded: number }>> = {
    aliases: { sent: 0, succeeded: 0 },
    'deep nesting': { sent: 0, succeeded: 0 },
    'prototype names': { sent: 0, succeeded: 0 },
    'dot segments': { sent: 0, succeeded: 0 },
  };
  #special = 0;

  constructor(targets: readonly Target[]) {
    for (const { node, operation } of targets)
      this.#routes.set(`${node} ${operation}`, { sent: 0, succeeded: 0, refusals: new Map() });
  }

  static fromJson(text: string): RequestCounts {
    const { special, kinds, routes }: RequestCountsJson = JSON.parse(text);
    const all = new RequestCounts([]);
    all.#special = special;
    for (const kind of inputKinds) Object.assign(all.#kinds[kind], kinds[kind]);
    for (const [route, { refusals, ...counts }] of routes)
      all.#routes.set(route, { ...counts, refusals: new Map(refusals) });
    return all;
  }

  toJSON(): RequestCountsJson {
    const routes = [...this.#routes].map(
      ([route, { refusals, ...counts }]) => [route, { ...counts, refusals: [...refusals] }] as const,
    );
    return { special: this.#special, kinds: this.#kinds, routes };
  }

  /** `refusal`: what was answered instead of a success. */
  count({ node, operation }: Pick<Target, 'node' | 'operation'>, refusal?: string): void {
    const count = this.#routes.get(`${node} ${operation}`);
    if (count === undefined) throw new Error(`${operation} is no route of ${node}`);
    count.sent += 1;
    if (refusal === undefined) count.succeeded += 1;
    else count.refusals.set(refusal, (count.refusals.get(refusal) ?? 0) + 1);
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
    const count = this.#routes.get(`${node} ${operation}`);
    return count !== undefined && shareOf(count) < wantedShare;
  }

  isUncalled({ node, operation }: Target): boolean {
    return this.#routes.get(`${node} ${operation}`)?.sent === 0;
  }

  /** Adds the counts of another run. */
  add(other: RequestCounts): void {
    this.#special += other.#special;
    for (const kind of inputKinds) {
      this.#kinds[kind].sent += other.#kinds[kind].sent;
      this.#kinds[kind].succeeded += other.#kinds[kind].succeeded;
    }
    for (const [route, { sent, succeeded, refusals }] of other.#routes) {
      const own = this.#routes.get(route) ?? { sent: 0, succeeded: 0, refusals: new Map() };
      this.#routes.set(route, own);
      own.sent += sent;
      own.succeeded += succeeded;
      for (const [refusal, count] of refusals) own.refusals.set(refusal, (own.refusals.get(refusal) ?? 0) + count);
    }
  }

  get routes(): number {
    return this.#routes.size;
  }

  get requests(): number {
    return [...this.#routes.values()].reduce((sum, { sent }) => sum + sent, this.#special);
  }

  /** Lines for people, the routes that succeeded least first. */
  get lines(): readonly string[] {
    return [...this.#routes]
      .sort(([, a], [, b]) => shareOf(a) - shareOf(b))
      .map(([route, count]) => {
        const refusals = [...count.refusals].sort(([, a], [, b]) => b - a).map(([why, count]) => `${count} ${why}`);
        const share = shareOf(count).toFixed(2);
        return `${share} ${route} (${count.succeeded} of ${count.sent}) ${refusals.join(', ')}`;
      });
  }

  /** Routes that miss the share. */
  get tooSeldom(): readonly string[] {
    const missing = [...this.#routes].filter(([, count]) => isTooSeldom(count));
    return missing.map(([route, { sent, succeeded }]) => `${route}: ${succeeded} of ${sent}`);
  }

  /** Routes that were not called at all. */
  get neverCalled(): readonly string[] {
    return [...this.#routes].filter(([, { sent }]) => sent === 0).map(([route]) => route);
  }
}

/** Fails when a kind of input never succeeded, or a route too seldom, once there were enough requests. */
export function expectShares(counts: RequestCounts): void {
  if (counts.requests < enoughForShares) return;
  expect(counts.refusedKinds, 'kinds of input that never succeeded').toEqual([]);
  expect(counts.tooSeldom, `routes that succeed below ${leastShare}`).toEqual([]);
}
