import {
  type Alarm,
  alarmSeverities,
  type LeaderHealth,
  type LiveJob,
  type RouteDeclaration,
  type UnitStatus,
} from '@lcs/contract';
import { lazy } from '@lcs/platform';
import type { Gauge, Histogram, Registry } from 'prom-client';
import type { AssignedRow, ReadingRow } from '../latest/latest-queries.ts';

/** What the metrics are made from, at each call. */
export interface MetricsFacts {
  readonly leader: string;
  readonly units: () => readonly UnitStatus[];
  readonly jobs: () => readonly LiveJob[];
  /** Those that are not cleared. */
  readonly alarms: () => readonly Alarm[];
  readonly assigned: () => Promise<readonly AssignedRow[]>;
  /** The newest of each series. */
  readonly readings: () => Promise<readonly ReadingRow[]>;
  readonly health: () => Promise<LeaderHealth>;
}

/** Of each request, in seconds: from a read of the memory to an export of a few seconds. */
const durationBucketsS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

const secondsOf = (timestamp: string): number => Date.parse(timestamp) / 1_000;

const isStream = ({ responses }: RouteDeclaration): boolean =>
  Object.values(responses).some(({ contentType }) => contentType?.startsWith('text/event-stream'));

/** Everything that is read at a call, as gauges of a registry of its own. */
async function snapshotOf(facts: MetricsFacts, library: typeof import('prom-client')): Promise<Registry> {
  const registry = new library.Registry();
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> =>
    new library.Gauge({ name: `lcs_${name}`, help, labelNames, registers: [registry] });
  const [assigned, readings, health] = await Promise.all([facts.assigned(), facts.readings(), facts.health()]);

  gauge('info', 'Always 1; the labels have the version', ['leader', 'version']).set(
    { leader: facts.leader, version: health.version },
    1,
  );
  gauge('disk_available_bytes', 'Free on the disk of the leader').set(health.disk.available_bytes);
  gauge('disk_total_bytes', 'Size of the disk of the leader').set(health.disk.total_bytes);
  gauge('database_bytes', 'Size of the store').set(health.database_bytes);
  gauge('readings_stored_24h', 'Readings stored in the last 24 hours').set(health.readings_per_day);
  const broker = gauge('broker_state', '1 for the present state of the MQTT broker', ['state']);
  for (const state of ['embedded', 'connected', 'unreachable', 'off'])
    broker.set({ state }, Number(state === health.broker));

  const up = gauge('unit_up', '1: the unit answers', ['unit']);
  const heard = gauge('unit_last_heard_timestamp_seconds', 'Last answer of the unit', ['unit']);
  const backlog = gauge('unit_backlog_records', 'Records that the leader has not stored yet', ['unit']);
  const full = gauge('unit_outbox_full', '1: the buffer of the unit is full, and it refuses readings', ['unit']);
  const offset = gauge('unit_clock_offset_seconds', 'Time of the unit minus that of the leader', ['unit']);
  for (const status of facts.units()) {
    const unit = status.reactor_unit;
    up.set({ unit }, Number(status.liveness === 'online'));
    if (status.last_heard_at !== null) heard.set({ unit }, secondsOf(status.last_heard_at));
    backlog.set({ unit }, status.backlog);
    full.set({ unit }, Number(status.outbox_full));
    if (status.clock_offset_ms !== null) offset.set({ unit }, status.clock_offset_ms / 1_000);
  }

  const jobs = gauge('jobs', 'Jobs of the unit in this state', ['unit', 'experiment', 'job', 'state']);
  for (const { reactor_unit: unit, experiment, job_name: job, state } of facts.jobs())
    jobs.inc({ unit, experiment, job, state });

  const alarms = gauge('alarms_open', 'Alarms that are not cleared', ['severity']);
  for (const severity of alarmSeverities) alarms.set({ severity }, 0);
  for (const { severity } of facts.alarms()) alarms.inc({ severity });

  const labels: ('unit' | 'experiment' | 'source' | 'channel')[] = ['unit', 'experiment', 'source', 'channel'];
  const value = gauge('reading', 'Newest reading of each series, in the unit of its source', labels);
  const at = gauge('reading_timestamp_seconds', 'Time of the newest reading of each series', labels);
  const experiments = new Map(assigned.map(({ reactor_unit, experiment }) => [reactor_unit, experiment]));
  for (const reading of readings) {
    const { reactor_unit: unit, source, channel } = reading;
    const of = { unit, experiment: experiments.get(unit) ?? '', source, channel: channel ?? '' };
    value.set(of, reading.value);
    at.set(of, reading.at / 1_000);
  }
  return registry;
}

/** What exists from the first call on. */
interface Watch {
  readonly library: typeof import('prom-client');
  /** Of the process, and the requests. */
  readonly registry: Registry;
  readonly durations: Histogram<'method' | 'route' | 'status'>;
}

/**
 * Metrics for Prometheus. Nothing is loaded or counted before the first call: a leader that nobody watches does no work for it, and counters
 * that begin later are like those after a restart.
 */
export class LeaderMetrics {
  readonly #facts: MetricsFacts;
  readonly #begun = lazy(() => this.#begin());
  #watch: Watch | undefined;

  constructor(facts: MetricsFacts) {
    this.#facts = facts;
  }

  /** A request was answered. Streams last as long as somebody looks at them, and are not counted. */
  readonly observe = (route: RouteDeclaration, status: number, durationMs: number): void => {
    if (this.#watch === undefined || isStream(route)) return;
    const { method, path } = route;
    this.#watch.durations.observe({ method, route: path, status }, durationMs / 1_000);
  };

  /** All metrics in the text format of Prometheus. */
  async text(): Promise<string> {
    const { library, registry } = await this.#begun();
    const snapshot = await snapshotOf(this.#facts, library);
    return `${await snapshot.metrics()}${await registry.metrics()}`;
  }

  async #begin(): Promise<Watch> {
    const library = await import('prom-client');
    const registry = new library.Registry();
    library.collectDefaultMetrics({ register: registry });
    const durations = new library.Histogram({
      name: 'lcs_http_request_duration_seconds',
      help: 'Time from a request to the last byte of its response',
      labelNames: ['method', 'route', 'status'],
      buckets: durationBucketsS,
      registers: [registry],
    });
    this.#watch = { library, registry, durations };
    return this.#watch;
  }
}
