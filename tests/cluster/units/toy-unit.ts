import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiError,
  DesiredState,
  type DesiredStop,
  Enrolled,
  type Enrolment,
  type ErrorCode,
  type ErrorParams,
  type FeedAnswer,
  type FeedJob,
  type FeedRecord,
  type FeedSeries,
} from '@lcs/contract';
import { Value } from 'typebox/value';

/** A record as a test writes it; the unit numbers it. */
export type ToyRecord<Kind extends FeedRecord['kind'] = FeedRecord['kind']> = Kind extends unknown
  ? Omit<Extract<FeedRecord, { kind: Kind }>, 'seq' | 'boot' | 'mono'>
  : never;

const endlessTask = {
  unit: 'toy',
  task_id: 'endless',
  result_url_path: '/unit_api/task_results/endless',
  status: 'accepted',
};

const refuse = <Code extends ErrorCode>(code: Code, params: ErrorParams<Code>, diagnostics?: readonly unknown[]) =>
  new ApiError<ErrorCode>(code, params, diagnostics);

/** What of a unit its leader sees, and nothing behind it: the feed, the document, health, over real sockets. */
export class ToyUnit {
  readonly name: string;
  machineId: string = randomUUID();
  /** The version of its protocol. */
  protocol = 1;
  /** Of this run. */
  instance: string = randomUUID();
  epoch: string = randomUUID();
  boot = 1;
  leaderId: string | undefined;
  /** It was let go, and has not enrolled since. */
  isReleased = false;
  document: DesiredState | undefined;
  /** How often a document came. */
  puts = 0;
  /** How long a document takes to be applied. */
  takesMs = 0;
  jobs: FeedJob[] = [];
  series: FeedSeries[] = [];
  acked = 0;
  /** What the parts of the next reports say, where it is not `applied`. */
  failing: Readonly<Record<string, string>> = {};
  /** It accepts a stop and never ends it. */
  neverStops = false;
  /** Parts that are still being applied, as the next answers show them. */
  pending: readonly string[] = [];
  /** Stop orders, each at its first coming. */
  readonly orders: DesiredStop[] = [];
  /** Orders taken (`order`), jobs started (`run`) and stopped (`stop`), as they came. */
  readonly log: ('order' | 'run' | 'stop')[] = [];
  #records: FeedRecord[] = [];
  #port = 0;
  #server: Server | undefined;
  #wake = Promise.withResolvers<void>();
  /** Of orders that were carried out. */
  readonly #stopped = new Set<string>();

  constructor(name: string) {
    this.name = name;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get isUp(): boolean {
    return this.#server !== undefined;
  }

  /** Listens, on the same port as before. */
  async goUp(): Promise<void> {
    if (this.#server) return;
    const server = createServer((request, response) => void this.#answer(request, response)).listen(
      this.#port,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const address = server.address();
    this.#port = typeof address === 'object' && address ? address.port : 0;
    this.#server = server;
  }

  async goDown(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    this.#wakeUp();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  /** As after a power cut: the same data folder, another run. */
  async restart(): Promise<void> {
    await this.goDown();
    this.boot += 1;
    this.instance = randomUUID();
    this.jobs = [];
    await this.goUp();
  }

  append(...records: ToyRecord[]): void {
    for (const record of records) {
      const seq = this.#records.length + 1;
      this.#records.push(Object.assign({ seq, boot: this.boot, mono: seq * 1000 }, record));
    }
    this.#wakeUp();
  }

  enrolment(more: Partial<Enrolment> = {}): Enrolment {
    const { name: reactor_unit, machineId: machine_id, epoch, boot, instance } = this;
    const { protocol } = this;
    const fixed = { protocol, app_version: '26.11.0', base_url: this.url, port: this.#port, model: null };
    return { reactor_unit, machine_id, epoch, boot, instance, ...fixed, ...more };
  }

  async enrol(leaderUrl: string, more: Partial<Enrolment> = {}): Promise<Response> {
    const body = JSON.stringify(this.enrolment(more));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${leaderUrl}/api/units/enrol`, { method: 'POST', body, headers });
    if (response.ok) {
      const answer: unknown = await response.clone().json();
      if (!Value.Check(Enrolled, answer)) throw new Error('The leader answered something else.');
      const { leader_id } = answer;
      if (leader_id !== this.leaderId) this.document = undefined;
      this.leaderId = leader_id;
      this.isReleased = false;
    }
    return response;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.goDown();
  }

  #wakeUp(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await this.#route(request, new URL(request.url ?? '/', this.url));
      response
        .writeHead(body === endlessTask ? 202 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      response.writeHead(error.status, { 'content-type': 'application/json' }).end(JSON.stringify(error.body));
    }
  }

  async #route(request: IncomingMessage, { pathname, searchParams }: URL): Promise<unknown> {
    const unit = this.name;
    const route = `${request.method} ${pathname}`;
    if (route === 'GET /unit_api/health')
      return { status: 'ok', reactor_unit: unit, utc_time: new Date(0).toISOString(), instance: this.instance };
    if (route === 'GET /unit_api/feed') return this.#feed(searchParams);
    if (route === 'POST /unit_api/feed/ack') return this.#acknowledge(await json(request));
    if (route === 'GET /unit_api/desired') return this.#report();
    if (route === 'PUT /unit_api/desired') {
      const body = await json(request);
      await sleep(this.takesMs);
      return this.#take(body);
    }
    if (pathname.startsWith('/unit_api/jobs/run/')) this.log.push('run');
    if (pathname.startsWith('/unit_api/jobs/stop')) this.log.push('stop');
    if (pathname.startsWith('/unit_api/jobs/stop') && this.neverStops) return endlessTask;
    if (pathname === endlessTask.result_url_path) return endlessTask;
    if (request.method === 'POST') return { status: 'success' };
    throw refuse('route_not_found', { path: pathname });
  }

  #obeys(leaderId: unknown, isFeed: boolean): void {
    if (this.leaderId === undefined || (this.isReleased && !(isFeed && this.acked < this.#records.length))) {
      throw refuse('not_enrolled', { unit: this.name });
    }
    if (leaderId !== this.leaderId) throw refuse('foreign_leader', { unit: this.name });
  }

  async #feed(query: URLSearchParams): Promise<FeedAnswer> {
    this.#obeys(query.get('leader_id'), true);
    const head = this.#records.length;
    const epoch = query.get('epoch');
    if (epoch !== null && epoch !== this.epoch) {
      throw refuse('feed_epoch_changed', {}, [{ epoch: this.epoch, first_seq: 1, head_seq: head }]);
    }
    const after = Number(query.get('after') ?? 0);
    const wait = Number(query.get('wait') ?? 0);
    if (after >= head && wait > 0) {
      const over = Promise.withResolvers<void>();
      const timer = setTimeout(over.resolve, wait);
      await Promise.race([over.promise, this.#wake.promise]);
      clearTimeout(timer);
    }
    const records = this.#records.slice(after, after + Number(query.get('limit') ?? 1000));
    return {
      reactor_unit: this.name,
      protocol: this.protocol,
      epoch: this.epoch,
      boot: this.boot,
      first_seq: 1,
      head_seq: this.#records.length,
      acked_seq: this.acked,
      time: Date.now(),
      mono: this.#records.length * 1000,
      synced: true,
      desired_version: this.document?.version ?? 0,
      desired_pending: [...this.pending],
      jobs: this.jobs,
      outbox: { records: records.length, bytes: 0, oldest_at: null, limit_bytes: 1, full: false },
      boots: [],
      series: this.series,
      records,
      more: after + records.length < this.#records.length,
    };
  }

  #acknowledge(body: unknown) {
    const { leader_id, seq }: { leader_id?: unknown; seq?: unknown } = Object(body);
    this.#obeys(leader_id, true);
    this.acked = Math.max(this.acked, Number(seq));
    return { status: 'success', acked_seq: this.acked };
  }

  #take(body: unknown) {
    if (!Value.Check(DesiredState, body)) throw refuse('invalid_body', { cause: 'no document', remediation: 'none' });
    this.#obeys(body.leader_id, false);
    const { version: current = 0 } = this.document ?? {};
    if (body.version < current) throw refuse('desired_stale', { version: body.version, current });
    const sameAs = (document: DesiredState) => JSON.stringify({ ...document, leader_time: 0 });
    if (this.document && body.version === current && sameAs(this.document) !== sameAs(body)) {
      throw refuse('desired_conflict', { version: current });
    }
    this.puts += 1;
    this.document = body;
    this.isReleased = body.standing === 'released';
    for (const order of body.stop) {
      if (this.#stopped.has(order.stop_id)) continue;
      this.#stopped.add(order.stop_id);
      this.orders.push(order);
      this.log.push('order');
    }
    this.#wakeUp();
    return this.#report();
  }

  #report() {
    const part = (name: string) =>
      this.failing[name]
        ? { state: 'failed', error: { code: 'internal_error', message: this.failing[name] } }
        : { state: this.pending.includes(name) ? 'pending' : 'applied' };
    const names = ['experiment', 'active', 'model', 'config_shared', 'config_own', 'stop'];
    return {
      reactor_unit: this.name,
      leader_id: this.leaderId ?? null,
      version: this.document?.version ?? 0,
      applied_at: this.pending.length > 0 ? null : 0,
      parts: Object.fromEntries(names.map((name) => [name, part(name)])),
      config: {
        shared: this.document?.config.shared.version ?? 0,
        own: this.document?.config.own.version ?? 0,
      },
      restart_needed: [],
      stopped: [...this.#stopped].map((stop_id) => ({ stop_id, ended: [], still_running: [] })),
      resume: null,
    };
  }
}

/** A unit that listens. */
export async function startToyUnit(name: string): Promise<ToyUnit> {
  const unit = new ToyUnit(name);
  await unit.goUp();
  return unit;
}
