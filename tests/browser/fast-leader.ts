import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { hourMs, type LiveSnapshot, type Reading, type TimeSeries } from '@lcs/contract';
import { readEvents } from '../../packages/cli/src/live-events.ts';
import { lineOfReading, liveNameOf } from '../../packages/web/src/charts/chart-source.ts';

/**
 * A leader whose live data come faster than time: in front of a real one, whose events of a while it replays again and again with
 * later times. Each hour of data so has the events of an hour of the real cluster. Time series contain what was replayed; all else
 * comes from the real leader.
 */
export interface FastLeader extends AsyncDisposable {
  readonly url: string;
  /** The moment from which its time runs faster; the same in a page by `fastTime`. */
  readonly startMs: number;
  /** The time of its data. */
  now(): number;
  /** Events that were sent to each page since the start. */
  readonly sent: () => number;
}

export interface FastLeaderOptions {
  readonly upstream: string;
  readonly experiment: string;
  /** How long the events of the real leader are recorded. */
  readonly recordMs: number;
  /** How many times as fast. */
  readonly speed: number;
}

interface Recorded {
  /** Since the recording began. */
  readonly atMs: number;
  readonly name: string;
  readonly data: string;
}

/** How often due events are sent. */
const sendEveryMs = 50;
const instants = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/g;

/** The text with all its times later. */
const later = (text: string, byMs: number): string =>
  text.replace(instants, (_, instant: string) => `"${new Date(Date.parse(instant) + byMs).toISOString()}"`);

const liveStream = async (upstream: string, signal: AbortSignal | null = null) => {
  const { body } = await fetch(`${upstream}/api/live`, { signal });
  if (body === null) throw new Error('The live stream has no body.');
  return readEvents(body);
};

/** The events of a while. */
async function recordEvents({ upstream, recordMs }: FastLeaderOptions): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  const ending = new AbortController();
  const beganMs = performance.now();
  const timer = setTimeout(() => ending.abort(), recordMs);
  try {
    for await (const { event, data } of await liveStream(upstream, ending.signal))
      if (event !== 'snapshot') recorded.push({ atMs: performance.now() - beganMs, name: event, data });
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  }
  clearTimeout(timer);
  return recorded;
}

/** The state of the real leader now. To leave the loop closes the stream. */
async function snapshotOf(upstream: string): Promise<LiveSnapshot> {
  for await (const { event, data } of await liveStream(upstream)) if (event === 'snapshot') return JSON.parse(data);
  throw new Error('The live stream ended without a snapshot.');
}

/** Every n-th point and the last one, so that at most `most` remain. */
function reduced<Point>(points: readonly Point[], most: number): readonly Point[] {
  const step = Math.max(1, Math.ceil(points.length / most));
  return points.filter((_, at) => at % step === 0 || at === points.length - 1);
}

/** The readings that were replayed, as time series. */
class ReplayedReadings {
  readonly #bySource = new Map<string, Reading[]>();

  add(reading: Reading): void {
    const known = this.#bySource.get(reading.source) ?? [];
    known.push(reading);
    this.#bySource.set(reading.source, known);
  }

  /** The response of the real leader, continued by what was replayed. */
  continued(series: TimeSeries, path: string, startMs: number, nowMs: number, experiment: string): TimeSeries {
    const { pathname, searchParams } = new URL(path, 'http://leader');
    const [data_source = '', data_source_column = ''] = pathname.split('/').slice(-2);
    const most = Number(searchParams.get('target_points') ?? 720);
    const untilMs = Math.min(nowMs, Date.parse(searchParams.get('until') ?? '') || nowMs);
    const fromMs = untilMs - Number(searchParams.get('lookback') ?? 4) * hourMs;
    const lines = new Map(
      series.series.map((label, at) => [label, (series.data[at] ?? []).filter(({ x }) => Date.parse(x) < startMs)]),
    );
    for (const reading of this.#bySource.get(liveNameOf({ data_source, data_source_column }) ?? '') ?? []) {
      const label = reading.experiment === experiment && lineOfReading({ data_source, data_source_column }, reading);
      if (!label) continue;
      const points = lines.get(label) ?? [];
      points.push({ x: reading.x, y: reading.y });
      lines.set(label, points);
    }
    const inWindow = ({ x }: { readonly x: string }) => Date.parse(x) > fromMs && Date.parse(x) <= untilMs;
    return {
      series: [...lines.keys()],
      data: [...lines.values()].map((points) => [...reduced(points.filter(inWindow), most)]),
    };
  }
}

/** Records the events of a leader for a while, then serves them faster. */
export async function startFastLeader(options: FastLeaderOptions): Promise<FastLeader> {
  const { upstream, speed, recordMs, experiment } = options;
  const recorded = await recordEvents(options);
  const startMs = Date.now();
  const now = (): number => startMs + speed * (Date.now() - startMs);
  const readings = new ReplayedReadings();
  const pages = new Set<ServerResponse>();
  let sent = 0;
  let next = { round: 0, at: 0 };

  const sendDue = (): void => {
    const dueMs = now() - startMs;
    let text = '';
    for (;;) {
      const event = recorded[next.at];
      if (event === undefined) {
        next = { round: next.round + 1, at: 0 };
        if (recorded.length === 0) return;
        continue;
      }
      const shiftMs = (next.round + 1) * recordMs;
      if (next.round * recordMs + event.atMs > dueMs) break;
      const data = later(event.data, shiftMs);
      if (event.name === 'reading') readings.add(JSON.parse(data));
      sent += 1;
      text += `id: fast-${sent}\nevent: ${event.name}\ndata: ${data}\n\n`;
      next = { ...next, at: next.at + 1 };
    }
    if (text !== '') for (const page of pages) page.write(text);
  };
  const sending = setInterval(sendDue, sendEveryMs);

  const follow = async (response: ServerResponse): Promise<void> => {
    const snapshot = await snapshotOf(upstream);
    const data = { ...snapshot, server_time: new Date(now()).toISOString() };
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
    response.write(`retry: 2000\n\nid: fast-${sent}\nevent: snapshot\ndata: ${JSON.stringify(data)}\n\n`);
    pages.add(response);
    response.on('close', () => pages.delete(response));
  };
  const sendSeries = async (path: string, response: ServerResponse): Promise<void> => {
    const answer = await fetch(upstream + path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    const series: TimeSeries = JSON.parse(await answer.text());
    const body = readings.continued(series, path, startMs, now(), experiment);
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' });
    response.end(JSON.stringify(body));
  };
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { host, port, hostname } = new URL(upstream);
    // To the real leader its own pages ask, not those of another address.
    const { origin: _, ...others } = incoming.headers;
    const headers = { ...others, host };
    const outgoing = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  };
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    const fail = (error: unknown): void => {
      console.error(path, error);
      response.destroy();
    };
    if (path.startsWith('/api/live')) follow(response).catch(fail);
    else if (path.includes('/time_series/')) sendSeries(path, response).catch(fail);
    else pass(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The fast leader has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    startMs,
    now,
    sent: () => sent,
    [Symbol.asyncDispose]: async () => {
      clearInterval(sending);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Timers of a page from this length on keep the time of the data: its polls. Shorter ones collect and draw. */
const pollMs = 5_000;

/** A script that gives a page the time of a fast leader. */
export const fastTime = ({ startMs }: FastLeader, speed: number): string => `
  const RealDate = Date;
  const now = () => ${startMs} + ${speed} * (RealDate.now() - ${startMs});
  window.Date = class extends RealDate {
    constructor(...parts) { if (parts.length === 0) super(now()); else super(...parts); }
    static now() { return now(); }
  };
  for (const name of ['setTimeout', 'setInterval']) {
    const original = window[name];
    window[name] = (action, ms = 0, ...rest) => original(action, ms >= ${pollMs} ? ms / ${speed} : ms, ...rest);
  }
`;
