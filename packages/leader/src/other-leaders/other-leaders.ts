import { Agent } from 'node:https';
import { createClient, hasShape, LeaderSummary, leaderApi, type OtherLeader, ProblemError } from '@lcs/contract';
import { agentFetch, type Cancel, type Clock, type Service, toTimestamp, withTimeout } from '@lcs/platform';
import type { OtherLeaderSettings } from './other-leaders-settings.ts';

type Fault = NonNullable<OtherLeader['fault']>;

/** What is known of one leader. */
type Reached =
  | { readonly is: 'waiting' }
  | { readonly is: 'reachable'; readonly sinceMs: number; readonly summary: LeaderSummary }
  | {
      readonly is: 'unreachable';
      readonly sinceMs: number;
      readonly fault: Fault;
      readonly last: LeaderSummary | undefined;
    };

type Answer = { readonly summary: LeaderSummary } | { readonly fault: Fault };

const askEveryMs = 30_000;
const answerWithinMs = 10_000;

const lastOf = (known: Reached): LeaderSummary | undefined =>
  known.is === 'reachable' ? known.summary : known.is === 'unreachable' ? known.last : undefined;

/** What an answer changes. A state that stays keeps its start. */
export function withAnswer(known: Reached, answer: Answer, nowMs: number): Reached {
  if ('summary' in answer)
    return { is: 'reachable', sinceMs: known.is === 'reachable' ? known.sinceMs : nowMs, summary: answer.summary };
  const sinceMs = known.is === 'unreachable' ? known.sinceMs : nowMs;
  return { is: 'unreachable', sinceMs, fault: answer.fault, last: lastOf(known) };
}

/** What is told about a refused or failed request to another leader. */
function faultOf(error: unknown, { name, token, url }: OtherLeaderSettings): Fault {
  if (!(error instanceof ProblemError))
    return {
      error: 'The leader does not answer.',
      cause: error instanceof Error ? error.message : String(error),
      remediation: 'Check that it runs, its address in [leaders] of leader.ini, and the firewall.',
    };
  const { code, error: sentence, cause } = error.body;
  const failure = error.cause instanceof Error ? error.cause.cause : undefined;
  switch (code) {
    case 'not_signed_in':
    case 'not_allowed':
      return {
        error: token === undefined ? 'The leader wants a token.' : 'The leader refuses the token.',
        cause,
        remediation: `Make one there with the permission system.read (lcs tokens make), and enter it as ${name}_token in [leaders] of leader.ini.`,
      };
    case 'route_not_found':
    case 'not_the_leader':
      return {
        error: 'The leader has no summary.',
        cause: 'It is a unit, or a leader of an earlier version.',
        remediation: 'Check its address in [leaders] of leader.ini, or update it.',
      };
    case 'no_answer':
      return {
        error: sentence,
        // Of `fetch`, whose own message says only that it failed.
        cause: failure instanceof Error ? `${url}: ${failure.message}` : cause,
        remediation: `Check that it runs, its address in [leaders] of leader.ini, and with TLS ${name}_authority.`,
      };
    default:
      return { error: sentence, cause, remediation: error.body.remediation };
  }
}

export interface OtherLeadersOptions {
  readonly leaders: readonly OtherLeaderSettings[];
  readonly clock: Clock;
  readonly wire: Clock;
}

/** Asks other leaders for their summaries and keeps the newest. Reads only: nothing of them is changed. */
export class OtherLeaders implements Service {
  readonly name = 'other leaders';
  readonly #options: OtherLeadersOptions;
  readonly #known: Map<OtherLeaderSettings, Reached>;
  readonly #asking = new Set<Promise<void>>();
  #ended = new AbortController();
  #cancel: Cancel = () => {};

  constructor(options: OtherLeadersOptions) {
    this.#options = options;
    this.#known = new Map(options.leaders.map((leader) => [leader, { is: 'waiting' }]));
  }

  async start(): Promise<void> {
    if (this.#known.size === 0) return;
    this.#ended = new AbortController();
    this.#askAll();
    this.#cancel = this.#options.wire.every(askEveryMs, () => this.#askAll());
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#ended.abort();
    await Promise.all(this.#asking);
  }

  all(): readonly OtherLeader[] {
    return [...this.#known].map(([{ name, url }, known]) => ({
      name,
      url,
      state: known.is,
      since: known.is === 'waiting' ? null : toTimestamp(known.sinceMs),
      summary: lastOf(known) ?? null,
      fault: known.is === 'unreachable' ? known.fault : null,
    }));
  }

  #askAll(): void {
    for (const leader of this.#known.keys()) {
      const asking: Promise<void> = this.#ask(leader).finally(() => this.#asking.delete(asking));
      this.#asking.add(asking);
    }
  }

  async #ask(leader: OtherLeaderSettings): Promise<void> {
    const answer = await this.#answerOf(leader);
    if (this.#ended.signal.aborted) return;
    const known = this.#known.get(leader) ?? { is: 'waiting' };
    this.#known.set(leader, withAnswer(known, answer, this.#options.clock.now()));
  }

  async #answerOf(leader: OtherLeaderSettings): Promise<Answer> {
    const { url, token, authority } = leader;
    const { getLeaderSummary } = createClient(leaderApi, {
      baseUrl: url,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(authority !== undefined && { fetch: agentFetch(new Agent({ ca: authority })) }),
    });
    try {
      const summary: unknown = await withTimeout(this.#options.wire, answerWithinMs, this.#ended.signal, (signal) =>
        getLeaderSummary({ signal }),
      );
      if (hasShape(LeaderSummary, summary)) return { summary };
      return { fault: faultOf(new Error('Its summary has fields of another version.'), leader) };
    } catch (error) {
      return { fault: faultOf(error, leader) };
    }
  }
}
