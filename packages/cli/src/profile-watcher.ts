import { ProblemError, type ProfileRunAction, type ProfileRunDetails } from '@lcs/contract';
import type { Clock } from '@lcs/platform';

type WaitingAction = ProfileRunDetails['waiting'][number];

/** `asking`: paused, because it asks about a missed action. */
type RunState = 'running' | 'paused' | 'asking';

/** What a run did or came to. */
export type RunEvent =
  | ({ readonly event: 'action' } & ProfileRunAction)
  | { readonly event: 'state'; readonly state: RunState }
  /** The next action; `others`: due at the same time. */
  | ({ readonly event: 'next'; readonly others: number } & WaitingAction)
  | { readonly event: 'end'; readonly outcome: NonNullable<ProfileRunDetails['outcome']>; readonly ended_at: string };

export interface ProfileWatcherOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly run: () => Promise<ProfileRunDetails>;
  /** The newest of its actions, newest first, at most `limit`. */
  readonly actions: (limit: number) => Promise<readonly ProfileRunAction[]>;
  readonly show: (event: RunEvent) => void;
  /** Called with each new state of the run, after its events. */
  readonly status: (run: ProfileRunDetails, done: number) => void;
  /** A message about the connection. */
  readonly remark: (text: string) => void;
}

const pollMs = 1_000;
/** Past actions that are shown first. */
const pastActions = 20;
const fewActions = 100;
const mostActions = 1_000;

const keyOf = ({ reactor_unit, path, iteration }: ProfileRunAction | WaitingAction): string =>
  `${reactor_unit} ${path}#${iteration}`;

/** Shows each action of a run once, its states, and its end. A leader that is away meanwhile is asked again. */
export class ProfileWatcher {
  readonly #options: ProfileWatcherOptions;
  readonly #shown = new Set<string>();
  #state: RunState | undefined;
  #next: string | undefined;
  /** Actions that were settled before are not shown. */
  #since = '';
  #done = 0;

  constructor(options: ProfileWatcherOptions) {
    this.#options = options;
  }

  /** Until the run has ended or `signal` is aborted; returns the outcome. @throws ProblemError */
  async watch(signal: AbortSignal): Promise<ProfileRunDetails['outcome']> {
    const { clock, remark } = this.#options;
    let isAway = false;
    while (!signal.aborted) {
      try {
        const outcome = await this.#poll();
        if (isAway) remark('connected again');
        isAway = false;
        if (outcome !== null) return outcome;
      } catch (error) {
        const isNetwork = error instanceof ProblemError && error.kind === 'network';
        if (!isNetwork || this.#state === undefined) throw error;
        if (!isAway) remark(`the leader is not reachable, retrying (${error.body.cause})`);
        isAway = true;
      }
      await clock.sleep(pollMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
    return null;
  }

  async #poll(): Promise<ProfileRunDetails['outcome']> {
    const { show, status } = this.#options;
    // Before the actions: those of an ended run are complete.
    const run = await this.#options.run();
    const actions = await this.#newActions();
    this.#done += actions.length;
    for (const action of actions) show({ event: 'action', ...action });
    if (run.outcome !== null && run.ended_at !== null) {
      show({ event: 'end', outcome: run.outcome, ended_at: run.ended_at });
      return run.outcome;
    }
    const state = run.asks_about !== null ? 'asking' : run.is_paused ? 'paused' : 'running';
    if (state !== this.#state) show({ event: 'state', state });
    this.#state = state;
    this.#showNext(run.waiting);
    status(run, this.#done);
    return null;
  }

  /** Oldest first. */
  async #newActions(): Promise<readonly ProfileRunAction[]> {
    const isFirst = this.#state === undefined;
    let newest = await this.#options.actions(isFirst ? pastActions : fewActions);
    const isGap = !isFirst && newest.length === fewActions && !newest.some((action) => this.#shown.has(keyOf(action)));
    if (isGap) newest = await this.#options.actions(mostActions);
    if (isFirst && newest.length === pastActions) this.#since = newest.at(-1)?.settled_at ?? '';
    const added = newest.filter((action) => action.settled_at >= this.#since && !this.#shown.has(keyOf(action)));
    for (const action of added) this.#shown.add(keyOf(action));
    return added.reverse();
  }

  #showNext(waiting: readonly WaitingAction[]): void {
    const [first] = waiting;
    const key = first && keyOf(first);
    if (first === undefined || key === this.#next) return;
    this.#next = key;
    const others = waiting.filter(({ planned_at }) => planned_at === first.planned_at).length - 1;
    this.#options.show({ event: 'next', others, ...first });
  }
}
