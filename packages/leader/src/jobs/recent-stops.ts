import {
  accountOf,
  type Caller,
  clusterExperiment,
  type JobStateChange,
  type JobsBeforeStop,
  type LiveEventName,
  type LiveEvents,
  type LiveJob,
  profileJobName,
  type RecentStop,
  sourceWithoutAccount,
} from '@lcs/contract';
import {
  dosingAutomationJob,
  ledAutomationJob,
  pumpingJobs,
  restartSettings,
  temperatureAutomationJob,
} from '@lcs/domain';
import { type Cancel, type Clock, type Service, toTimestamp } from '@lcs/platform';
import type { LiveListener, LivePublisher } from '../core/leader-context.ts';

/** What an order stops. */
export type StopScope = Pick<RecentStop, 'what' | 'experiment' | 'reactor_units'>;

/** What ran when a stop was ordered. */
interface BeforeStop {
  readonly scope: StopScope;
  readonly atMs: number;
  readonly jobs: readonly LiveJob[];
  readonly known: NotedStop['known'];
}

interface NotedStop {
  readonly stop: Omit<RecentStop, 'jobs'>;
  readonly atMs: number;
  readonly jobs: readonly LiveJob[];
  /** The ids of all jobs that were known before it. */
  readonly known: ReadonlySet<string>;
}

export interface RecentStopsOptions {
  readonly live: LivePublisher & { readonly listen: (listener: LiveListener) => Cancel };
  /** The running jobs of all units and of the leader. */
  readonly jobs: () => readonly LiveJob[];
  readonly clock: Clock;
}

/** A unit that is there has ended the jobs of a stopped profile by then; what ends later was not of the profile. Chosen. */
const profileEndsMs = 60_000;

/** Enough for all stops of one incident. */
const mostStops = 10;

const isUp = ({ state, experiment }: Pick<LiveJob, 'state' | 'experiment'>): boolean =>
  experiment !== clusterExperiment && (state === 'init' || state === 'ready' || state === 'sleeping');

const idOf = ({ reactor_unit, job_id }: Pick<LiveJob, 'reactor_unit' | 'job_id'>): string =>
  `${reactor_unit}\n${job_id}`;

/** Profiles run on the leader, wherever it is assigned. */
const isOfUnit = ({ reactor_unit, job_name }: LiveJob, unit: string | null): boolean =>
  reactor_unit === unit && job_name !== profileJobName;

/** The jobs that an order is to end, and the running profiles of their experiments, which have planned their ends. */
function endedBy({ what, experiment, reactor_units }: StopScope, jobs: readonly LiveJob[]): readonly LiveJob[] {
  return jobs.filter(
    (job) =>
      (isUp(job) || job.state === 'lost') &&
      (experiment === null || job.experiment === experiment) &&
      ((job.job_name === profileJobName && what !== 'profile') ||
        (job.job_name !== profileJobName &&
          (reactor_units === null || reactor_units.includes(job.reactor_unit)) &&
          (what !== 'pumps' || pumpingJobs.includes(job.job_name)))),
  );
}

const automations: readonly string[] = [temperatureAutomationJob, dosingAutomationJob, ledAutomationJob].map(
  ({ name }) => name,
);

/** Single doses and the calibration of a pump: nothing starts them again, and they are no start of a run. */
const isByHand = (name: string): boolean => pumpingJobs.includes(name) && name !== dosingAutomationJob.name;

/** The stop without what a new job has taken the place of; none when nothing of it is left. The same stop when the job does not concern it. */
function afterStart(stop: NotedStop, job: JobStateChange): readonly NotedStop[] {
  const { jobs, known } = stop;
  if (known.has(idOf(job))) return [stop];
  if (jobs.length === 0) return [];
  const isReplaced = (each: LiveJob): boolean =>
    job.job_name === profileJobName ? each.experiment === job.experiment : isOfUnit(each, job.reactor_unit);
  const concerns =
    job.job_name === profileJobName ||
    automations.includes(job.job_name) ||
    jobs.some((each) => isReplaced(each) && each.job_name === job.job_name);
  const left = concerns ? jobs.filter((each) => !isReplaced(each)) : jobs;
  if (left.length === jobs.length) return [stop];
  return left.every(({ job_name }) => isByHand(job_name)) ? [] : [{ ...stop, jobs: left }];
}

/** Jobs that differ in their units only are one entry: a stop of hundreds of units is sent to every page. */
function grouped(jobs: readonly LiveJob[]): readonly JobsBeforeStop[] {
  const groups = new Map<string, JobsBeforeStop>();
  for (const { reactor_unit, experiment, job_name, state, settings: all } of jobs) {
    const settings = restartSettings({ job_name, settings: all });
    const key = JSON.stringify([experiment, job_name, state, settings]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { experiment, job_name, state, settings, reactor_units: [reactor_unit] });
    else group.reactor_units.push(reactor_unit);
  }
  return [...groups.values()];
}

/** The stops of all jobs or pumps, for everybody who may start them again; forgotten when the leader restarts. */
export class RecentStops implements Service {
  readonly name = 'recent stops';
  readonly #options: RecentStopsOptions;
  #stops: readonly NotedStop[] = [];
  #unsubscribe: Cancel = () => {};

  constructor(options: RecentStopsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#options.live.listen((name, data) => this.#onLiveEvent(name, data));
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
  }

  readonly list = (): readonly RecentStop[] =>
    this.#stops.map(({ stop, jobs }) => ({ ...stop, jobs: [...grouped(jobs)] }));

  /** What runs now. Call it before an order is sent: jobs end while its task is accepted. */
  before(scope: StopScope): BeforeStop {
    const jobs = this.#options.jobs();
    return { scope, atMs: this.#options.clock.now(), jobs: endedBy(scope, jobs), known: new Set(jobs.map(idOf)) };
  }

  /** The order was accepted. */
  add({ scope, atMs, jobs, known }: BeforeStop, stopId: string, caller: Caller): void {
    const by = accountOf(caller) ?? sourceWithoutAccount;
    const stop = { stop_id: stopId, at: toTimestamp(atMs), by, ...scope };
    // Orders that ended nothing must not replace one that did.
    const others = this.#stops.filter((each) => each.jobs.length > 0);
    this.#publish([...others, { stop, atMs, jobs, known }].slice(-mostStops));
  }

  #publish(stops: readonly NotedStop[]): void {
    this.#stops = stops;
    this.#options.live.publish('stops', '', [...this.list()]);
  }

  #onLiveEvent(name: LiveEventName, data: LiveEvents[LiveEventName]): void {
    switch (name) {
      case 'job':
        if ('job_id' in data && 'state' in data) this.#jobChanged(data);
        return;
      case 'experiment':
        if ('worker_count' in data && data.ended_at !== undefined)
          this.#withdraw(({ experiment }) => experiment === data.experiment);
        return;
      case 'experiment_deleted':
        if ('experiment' in data) this.#withdraw(({ experiment }) => experiment === data.experiment);
        return;
      case 'assignment':
        if ('reactor_unit' in data && 'experiment' in data)
          this.#withdraw((job) => isOfUnit(job, data.reactor_unit) && job.experiment !== data.experiment);
        return;
      case 'worker_deleted':
        if ('reactor_unit' in data) this.#withdraw((job) => isOfUnit(job, data.reactor_unit));
    }
  }

  /** What is started on a unit of what a stop has ended there, or another automation, ends the offer to start again what ran there. */
  #jobChanged(job: JobStateChange): void {
    if (!isUp(job)) {
      const isOthers = ({ stop, atMs }: NotedStop): boolean =>
        stop.what === 'profile' && this.#options.clock.now() - atMs > profileEndsMs;
      this.#withdraw((each) => idOf(each) === idOf(job), isOthers);
      return;
    }
    if (isByHand(job.job_name)) return;
    const stands = this.#stops.flatMap((each) => afterStart(each, job));
    if (stands.length < this.#stops.length || stands.some((each, index) => each !== this.#stops[index]))
      this.#publish(stands);
  }

  /** These jobs can no longer be started where they ran: a later experiment may have the same name. */
  #withdraw(isGone: (job: LiveJob) => boolean, isConcerned: (stop: NotedStop) => boolean = () => true): void {
    if (!this.#stops.some((stop) => isConcerned(stop) && stop.jobs.some(isGone))) return;
    this.#publish(
      this.#stops.flatMap((each) => {
        if (!isConcerned(each)) return [each];
        const jobs = each.jobs.filter((job) => !isGone(job));
        return jobs.length === 0 && each.jobs.length > 0 ? [] : [{ ...each, jobs }];
      }),
    );
  }
}
