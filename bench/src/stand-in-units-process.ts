import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DesiredReport, FeedAnswer, FeedRecord } from '@lcs/contract';

/** Units for one process. */
export interface StandInOrder {
  readonly units: readonly string[];
  readonly readingsEach: number;
  readonly everyMs: number;
}

const epoch = '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a11';
const applied = { state: 'applied' } as const;
const startedMs = Date.now();

/** What a leader sees of a unit: a document that is applied, and a feed with readings at equal intervals. It has no jobs. */
class StandInUnit {
  readonly #name: string;
  readonly #readingsEach: number;
  #records: FeedRecord[] = [];
  #experimentUid: string | undefined;
  #version = 0;
  #seq = 0;
  #acked = 0;
  #waiting = new Set<() => void>();

  constructor(name: string, readingsEach: number) {
    this.#name = name;
    this.#readingsEach = readingsEach;
  }

  /** Readings made so far. */
  get made(): number {
    return this.#seq;
  }

  measure(): void {
    if (this.#experimentUid === undefined) return;
    const at = Date.now();
    for (let series = 0; series < this.#readingsEach; series += 1) {
      this.#seq += 1;
      const value = 0.5 + Math.sin(at / 60_000 + series) / 10;
      this.#records.push({
        seq: this.#seq,
        boot: 1,
        mono: (at - startedMs) * 1_000,
        at,
        kind: 'sample',
        series,
        value,
      });
    }
    for (const wake of this.#waiting) wake();
  }

  async answer(method: string, path: string, sent: string, response: ServerResponse): Promise<void> {
    if (path.startsWith('/unit_api/feed/ack')) {
      const { seq }: { seq: number } = JSON.parse(sent);
      this.#acked = Math.max(this.#acked, seq);
      this.#records = this.#records.filter((record) => record.seq > this.#acked);
      return send(response, 200, { epoch, acked_seq: this.#acked });
    }
    if (path.startsWith('/unit_api/feed?')) return this.#feed(new URLSearchParams(path.split('?')[1]), response);
    if (path !== '/unit_api/desired')
      return send(response, 404, { error: '', cause: '', remediation: '', status: 404, code: 'route_not_found' });
    if (method === 'PUT') {
      const document: { version: number; experiment: { uid: string } | null } = JSON.parse(sent);
      this.#version = document.version;
      this.#experimentUid = document.experiment?.uid;
    }
    send(response, 200, this.#report());
  }

  async #feed(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const after = Number(query.get('after'));
    const waitMs = Number(query.get('wait'));
    if (this.#seq <= after && waitMs > 0) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, waitMs);
        this.#waiting.add(wake);
        response.once('close', wake);
      });
    }
    const all = this.#records.filter(({ seq }) => seq > after);
    const records = all.slice(0, Number(query.get('limit')));
    const answer: FeedAnswer = {
      reactor_unit: this.#name,
      protocol: 1,
      epoch,
      boot: 1,
      first_seq: this.#records[0]?.seq ?? this.#seq + 1,
      head_seq: this.#seq,
      acked_seq: this.#acked,
      time: Date.now(),
      mono: (Date.now() - startedMs) * 1_000,
      synced: true,
      desired_version: this.#version,
      desired_pending: [],
      jobs: [],
      outbox: { records: this.#records.length, bytes: 0, oldest_at: null, limit_bytes: 0, full: false },
      boots: [{ boot: 1, wall0: startedMs, guess0: startedMs, source: 'ntp' }],
      series: Array.from({ length: this.#readingsEach }, (_, index) => ({
        experiment_uid: this.#experimentUid ?? '',
        source: 'od',
        channel: String(index + 1),
        angle: 90,
        derivation: null,
        context: null,
      })),
      records,
      more: all.length > records.length,
    };
    send(response, 200, answer);
  }

  #report(): DesiredReport {
    return {
      reactor_unit: this.#name,
      leader_id: null,
      version: this.#version,
      applied_at: Date.now(),
      parts: {
        experiment: applied,
        active: applied,
        model: applied,
        config_shared: applied,
        config_own: applied,
        stop: applied,
      },
      config: { shared: 1, own: 1 },
      restart_needed: [],
      stopped: [],
      resume: null,
    };
  }
}

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** Runs such units until its parent disconnects; sends the port of each, and at each message the number of readings that they have made. */
process.once('message', async ({ units: names, readingsEach, everyMs }: StandInOrder) => {
  const ports: number[] = [];
  const units: StandInUnit[] = [];
  for (const [index, name] of names.entries()) {
    const unit = new StandInUnit(name, readingsEach);
    const server = createServer(async (request, response) => {
      await unit.answer(request.method ?? '', request.url ?? '', await text(request), response);
    }).listen(0, '127.0.0.1');
    server.keepAliveTimeout = 60_000;
    await once(server, 'listening');
    const address = server.address();
    ports.push(typeof address === 'object' && address ? address.port : 0);
    units.push(unit);
    // Not all at the same moment.
    setTimeout(() => setInterval(() => unit.measure(), everyMs), (everyMs * index) / names.length);
  }
  process.on('message', () => process.send?.(units.reduce((sum, { made }) => sum + made, 0)));
  process.send?.(ports);
  process.once('disconnect', () => process.exit());
});
