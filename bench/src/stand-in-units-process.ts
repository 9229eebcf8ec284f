import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { DesiredReport, FeedAcked, FeedAnswer, FeedRecord } from '@lcs/contract';
import { connectPacket, publishPacket } from './mqtt-packets.ts';
import { standInSeries } from './stand-in-series.ts';

/** Units for one process. */
export interface StandInOrder {
  readonly units: readonly string[];
  readonly everyMs: number;
  readonly experiment: string;
  /** Of a broker on this machine, to which each reading is published. */
  readonly brokerPort: number;
}

const epoch = '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a11';
const applied = { state: 'applied' } as const;
const startedMs = Date.now();

/** A record in JSON, as answers of the feed contain it. */
interface WrittenRecord {
  readonly seq: number;
  readonly json: string;
}

/** What a leader sees of a unit: a document that is applied, and a feed with readings at equal intervals. It has no jobs. */
class StandInUnit {
  readonly #name: string;
  readonly #topic: string;
  readonly #broker: Socket;
  #records: WrittenRecord[] = [];
  #seriesJson = '[]';
  #hasExperiment = false;
  #version = 0;
  #seq = 0;
  #acked = 0;
  #waiting = new Set<() => void>();

  constructor(name: string, { experiment, brokerPort }: StandInOrder) {
    this.#name = name;
    this.#topic = `reactor/${name}/${experiment}`;
    this.#broker = connect(brokerPort, '127.0.0.1');
    this.#broker.write(connectPacket(`stand-in-${name}`));
    // Its acknowledgement.
    this.#broker.resume();
  }

  /** Readings made so far. */
  get made(): number {
    return this.#seq;
  }

  measure(): void {
    if (!this.#hasExperiment) return;
    const at = Date.now();
    const mono = (at - startedMs) * 1_000;
    const timestamp = new Date(at).toISOString();
    const messages: Buffer[] = [];
    for (const [series, { topic, field }] of standInSeries.entries()) {
      this.#seq += 1;
      const value = 0.5 + Math.sin(at / 60_000 + series) / 10;
      const record: FeedRecord = { seq: this.#seq, boot: 1, mono, at, kind: 'sample', series, value };
      this.#records.push({ seq: this.#seq, json: JSON.stringify(record) });
      messages.push(publishPacket(`${this.#topic}/${topic}`, JSON.stringify({ timestamp, [field]: value })));
    }
    this.#broker.write(Buffer.concat(messages));
    for (const wake of this.#waiting) wake();
  }

  async answer(method: string, path: string, sent: string, response: ServerResponse): Promise<void> {
    if (path.startsWith('/unit_api/feed/ack')) {
      const { seq }: { seq: number } = JSON.parse(sent);
      this.#acked = Math.max(this.#acked, seq);
      this.#records = this.#records.filter((record) => record.seq > this.#acked);
      const confirmed: FeedAcked = { status: 'success', acked_seq: this.#acked };
      return send(response, 200, confirmed);
    }
    if (path.startsWith('/unit_api/feed?')) return this.#feed(new URLSearchParams(path.split('?')[1]), response);
    if (path !== '/unit_api/desired')
      return send(response, 404, { error: '', cause: '', remediation: '', status: 404, code: 'route_not_found' });
    if (method === 'PUT') {
      const document: { version: number; experiment: { uid: string } | null } = JSON.parse(sent);
      this.#version = document.version;
      this.#hasExperiment = document.experiment !== null;
      const experiment_uid = document.experiment?.uid ?? '';
      this.#seriesJson = JSON.stringify(
        standInSeries.map(({ source, channel, angle }) => ({
          experiment_uid,
          source,
          channel,
          angle,
          derivation: null,
          context: null,
        })),
      );
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
    const answer: Omit<FeedAnswer, 'series' | 'records'> = {
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
      more: all.length > records.length,
    };
    const written = records.map(({ json }) => json).join();
    const begin = JSON.stringify(answer).slice(0, -1);
    sendJson(response, 200, `${begin},"series":${this.#seriesJson},"records":[${written}]}`);
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

const sendJson = (response: ServerResponse, status: number, json: string): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(json);
};

const send = (response: ServerResponse, status: number, body: unknown): void =>
  sendJson(response, status, JSON.stringify(body));

/** Runs such units until its parent disconnects; sends the port of each. They measure from the message `begin` on; at each other message it sends the number of readings that they have made. */
process.once('message', async (order: StandInOrder) => {
  const { units: names, everyMs } = order;
  const ports: number[] = [];
  const units: StandInUnit[] = [];
  for (const name of names) {
    const unit = new StandInUnit(name, order);
    const server = createServer(async (request, response) => {
      await unit.answer(request.method ?? '', request.url ?? '', await text(request), response);
    }).listen(0, '127.0.0.1');
    server.keepAliveTimeout = 60_000;
    await once(server, 'listening');
    const address = server.address();
    ports.push(typeof address === 'object' && address ? address.port : 0);
    units.push(unit);
  }
  const begin = () => {
    // Not all at the same moment.
    for (const [index, unit] of units.entries())
      setTimeout(() => setInterval(() => unit.measure(), everyMs), (everyMs * index) / names.length);
  };
  process.on('message', (message) => {
    if (message === 'begin') begin();
    else process.send?.(units.reduce((sum, { made }) => sum + made, 0));
  });
  process.send?.(ports);
  process.once('disconnect', () => process.exit());
});
