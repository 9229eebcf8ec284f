import type { DesiredReport, DesiredState, DesiredStop, StoppedJobs } from '@lcs/contract';
import type { JobDefinition, JobFilter, JobOrigin } from '@lcs/node';
import type { Log, Probe } from '@lcs/platform';
import type { DesiredStore, StopOutcome, StoredStop } from './desired-store.ts';

type DesiredPart = DesiredReport['parts']['stop'];

export interface StopOrdersOptions {
  readonly stopJobs: (filter: JobFilter) => Promise<StoppedJobs>;
  readonly store: Pick<DesiredStore, 'stopDone'>;
  readonly log: Log;
  /** Called at `stop.ordered`. */
  readonly probe?: Probe;
}

/** A job as orders select it. `stopGroup`: of its start. */
export type OrderedJob = JobOrigin & {
  readonly isLongRunning: boolean;
  readonly stopGroup: JobDefinition['stopGroup'];
};

const isForEverything = ({ experiment_uid, job_name, job_source }: DesiredStop): boolean =>
  experiment_uid === null && job_name === null && job_source === null;

/** An order for a group names no job. */
const jobNameOf = ({ job_name, stop_group }: DesiredStop): string | null =>
  stop_group === undefined ? job_name : null;

function filterOf(order: DesiredStop): JobFilter {
  if (isForEverything(order)) return { isLongRunning: false };
  const { experiment_uid, job_source, stop_group } = order;
  const jobName = jobNameOf(order);
  return {
    ...(experiment_uid === null ? {} : { experimentUid: experiment_uid }),
    ...(jobName === null ? {} : { jobName }),
    ...(job_source === null ? {} : { jobSource: job_source }),
    ...(stop_group === undefined ? {} : { stopGroup: stop_group }),
  };
}

function isMeant(order: DesiredStop, job: OrderedJob): boolean {
  if (isForEverything(order)) return !job.isLongRunning;
  const { experiment_uid, job_source, stop_group } = order;
  const jobName = jobNameOf(order);
  return (
    (experiment_uid === null || experiment_uid === job.experimentUid) &&
    (jobName === null || jobName === job.jobName) &&
    (job_source === null || job_source === job.jobSource) &&
    (stop_group === undefined || stop_group === job.stopGroup)
  );
}

/** The stop orders of a unit: each is executed once, however often it is received. */
export class StopOrders {
  readonly #options: StopOrdersOptions;
  readonly #known = new Map<string, StoredStop>();
  readonly #underWay = new Map<string, Promise<void>>();
  /** Orders that have failed so far, with reason and partial outcome. */
  readonly #failures = new Map<
    string,
    { readonly code: string; readonly message: string; readonly soFar: StopOutcome }
  >();

  constructor(options: StopOrdersOptions) {
    this.#options = options;
  }

  load(stops: readonly StoredStop[]): void {
    for (const stop of stops) this.#known.set(stop.order.stop_id, stop);
  }

  forget(): void {
    this.#known.clear();
    this.#failures.clear();
  }

  /** The new orders of a document. */
  newIn({ stop }: DesiredState): readonly DesiredStop[] {
    const byId = new Map(stop.map((order) => [order.stop_id, order]));
    return [...byId.values()].filter(({ stop_id }) => !this.#known.has(stop_id));
  }

  /**
   * Executes orders that the disk rejects: their jobs are stopped, and the orders count as new when they are received again. Never rejects.
   */
  async stopUnrecorded(orders: readonly DesiredStop[]): Promise<void> {
    const { stopJobs, log } = this.#options;
    for (const order of orders) {
      try {
        await stopJobs(filterOf(order));
      } catch (error) {
        log.error('A stop order could not be carried out', { stopId: order.stop_id, error: String(error) });
      }
    }
  }

  /** These are on disk now. */
  add(orders: readonly DesiredStop[], version: number): void {
    for (const order of orders) this.#known.set(order.stop_id, { order, version, outcome: null });
  }

  /** Begins all pending orders; pending starts are revoked when this returns. */
  begin(): void {
    for (const { order, outcome } of this.#known.values()) {
      const { stop_id: id } = order;
      if (outcome !== null || this.#underWay.has(id)) continue;
      this.#underWay.set(
        id,
        this.#carryOut(order).finally(() => this.#underWay.delete(id)),
      );
    }
  }

  /** Resolves when no order is being executed; never rejects. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  /** Whether a pending order is for this job. */
  isOrdered(job: OrderedJob): boolean {
    return [...this.#known.values()].some(({ order, outcome }) => outcome === null && isMeant(order, job));
  }

  /** The outcomes of the executed and partly executed orders of a document. */
  outcomes({ stop }: DesiredState): DesiredReport['stopped'] {
    return stop.flatMap(({ stop_id }) => {
      const { soFar } = this.#failures.get(stop_id) ?? {};
      const outcome = this.#known.get(stop_id)?.outcome ?? (soFar?.still_running.length ? soFar : null);
      return outcome === null ? [] : [{ stop_id, ...outcome }];
    });
  }

  /** The outcome of the orders of a document. */
  part({ stop, version }: DesiredState): DesiredPart {
    const mine = stop.flatMap(({ stop_id }) => this.#known.get(stop_id) ?? []);
    const waiting = mine.filter(({ outcome }) => outcome === null);
    const failure = waiting.map(({ order }) => this.#failures.get(order.stop_id)).find((each) => each !== undefined);
    if (failure !== undefined) {
      const { code, message } = failure;
      return { state: 'failed', error: { code, message } };
    }
    if (waiting.length > 0) return { state: 'pending' };
    return { state: mine.some((stop) => stop.version === version) ? 'applied' : 'unchanged' };
  }

  async #carryOut(order: DesiredStop): Promise<void> {
    const { stopJobs, store, log, probe } = this.#options;
    const { stop_id: id, reason } = order;
    let soFar = this.#failures.get(id)?.soFar ?? { ended: [], still_running: [] };
    try {
      probe?.('stop.ordered');
      const { stopped, still_running } = await stopJobs(filterOf(order));
      // Jobs that are not among those still running have ended.
      const stillRunningIds = new Set(still_running.map(({ job_id }) => job_id));
      const ended = [
        ...soFar.ended,
        ...soFar.still_running.filter(({ job_id }) => !stillRunningIds.has(job_id)),
        ...stopped,
      ];
      soFar = { ended, still_running };
      if (still_running.length > 0) {
        const message = `Still running: ${still_running.map(({ job_name }) => job_name).join(', ')}.`;
        this.#failures.set(id, { code: 'jobs_still_running', message, soFar });
        log.error('A stop order could not end everything; it is tried again', { stopId: id, reason, still_running });
        return;
      }
      await store.stopDone(id, soFar);
      const known = this.#known.get(id);
      if (known !== undefined) this.#known.set(id, { ...known, outcome: soFar });
      this.#failures.delete(id);
      log.info('A stop order is carried out', { stopId: id, reason, ended });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#failures.set(id, { code: 'stop_failed', message, soFar });
      log.error('A stop order could not be carried out; it is tried again', { stopId: id, reason, error: message });
    }
  }
}
