import { createClient, leaderApi } from '@lcs/contract';
import { isPostgresInstalled, KillablePostgres, PostgresAdmin } from '@lcs/platform/testing';
import { signIn, startApiProcess, startControlProcess, startIngestProcess, temporaryFolder } from '@lcs/testkit';
import { connectAsync } from 'mqtt';
import { expect, it, onTestFinished, vi } from 'vitest';
import { isMosquittoInstalled, mosquittoBroker } from '../../../packages/leader/src/testing/test-brokers.ts';
import { answerAt } from '../control/control-pair.ts';
import { expectAllStored, experiment, freePort, startUnits } from '../control/measuring-units.ts';
import type { Ledger } from '../kill-units/ledger.ts';
import { seedFrom } from '../seed.ts';
import { Commands } from './commands.ts';
import { KeptProcess } from './kept-process.ts';
import { type Part, parts, planKills } from './plan.ts';

/** A short run belongs to every test run; `npm run test:kill` does 200 kills. */
const isLongRun = process.env.LCS_FLEET_KILLS !== undefined;
const kills = Number(process.env.LCS_FLEET_KILLS ?? parts.length);
const seed = seedFrom('LCS_FLEET_KILL_SEED', isLongRun);
const unitCount = Number(process.env.LCS_FLEET_UNITS ?? (isLongRun ? 3 : 1));
/** Of ingest and of api processes. */
const processesEach = isLongRun ? 2 : 1;
/** Beside other tests, processes start slowly. */
const longestTakeOverMs = 1_000 * Number(process.env.LCS_FLEET_TAKE_OVER_S ?? (isLongRun ? 10 : 40));
const longestPauseMs = isLongRun ? 2_000 : 300;
const readAlongMs = 300;
const within = { timeout: 60_000, interval: 100 };
const patient = { timeout: 60_000, interval: 300 };
/** With the 0 of other tests, Mosquitto disconnects a node that publishes more than 20 states at once when it is back. */
const mostQueued = 'max_queued_messages 10000';
const password = 'three brown horses';

/** The number of the last stored record of each unit; asks by a new connection when the server has ended the last one. */
class Marks implements AsyncDisposable {
  readonly #url: string;
  #admin: PostgresAdmin | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    try {
      this.#admin ??= await PostgresAdmin.open(this.#url);
      return await this.#admin.rows(text);
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  async read(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.rows('select reactor_unit as unit, max(seq) as seq from lcs.feed_marks group by 1');
    return new Map(rows.map(({ unit, seq }) => [String(unit), Number(seq)]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#admin?.[Symbol.asyncDispose]();
    this.#admin = undefined;
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

it.skipIf(!(isPostgresInstalled && isMosquittoInstalled))(
  `${kills} kills of api, ingest and control processes, the database and the broker under load (seed ${seed}): no reading is lost or stored twice, no command is carried out twice`,
  async () => {
    process.stdout.write(`LCS_FLEET_KILL_SEED=${seed}\n`);
    await using folder = await temporaryFolder('fleet');
    const dataFolder = `${folder.path}/control`;
    await using server = await KillablePostgres.make();
    {
      await using admin = await PostgresAdmin.open(server.url('postgres'));
      await admin.run('create database lcs');
    }
    const database = server.url('lcs');
    const mqttPort = await freePort();
    const broker = await mosquittoBroker({ port: mqttPort, settings: [mostQueued] });
    onTestFinished(() => broker.close());
    const options = { dataFolder, database, brokerUrl: broker.tcpUrl };
    await using kept = new AsyncDisposableStack();
    const keep = (start: ConstructorParameters<typeof KeptProcess>[0]) => kept.use(new KeptProcess(start));
    const controls = [keep(() => startControlProcess(options))];

    const ready = (one: KeptProcess): Promise<number> =>
      one.process === undefined
        ? Promise.resolve(0)
        : answerAt(one.process, '/readyz').then(
            ({ status }) => status,
            () => 0,
          );
    const active = async (): Promise<KeptProcess> => {
      for (const control of controls) if ((await ready(control)) === 200) return control;
      throw new Error('No control process is active.');
    };
    const activeUrl = async () => (await active()).process?.url ?? '';
    await vi.waitFor(active, patient);
    await using units = await startUnits(await activeUrl(), folder.path, mqttPort, unitCount);
    const { ledgers } = units;
    for (const ledger of ledgers) ledger.open();
    const readingAlong = setInterval(() => ledgers.forEach((ledger) => void ledger.read()), readAlongMs);
    using _ = { [Symbol.dispose]: () => clearInterval(readingAlong) };

    controls.push(keep(() => startControlProcess(options)));
    const ingests = Array.from({ length: processesEach }, () => keep(() => startIngestProcess(options)));
    const apiPorts = await Promise.all(Array.from({ length: processesEach }, freePort));
    const apis = apiPorts.map((port) => keep(() => startApiProcess(database, port)));
    const apiUrls = () => apis.flatMap(({ process }) => process?.url ?? []);
    await createClient(leaderApi, { baseUrl: await activeUrl() }).createPerson({
      body: { name: 'ada', role: 'administrator', password },
    });
    await using marks = new Marks(database);
    const whole = async () => {
      const statuses = await Promise.all(controls.map(ready));
      expect(statuses.sort()).toEqual([200, 503]);
      expect(await marks.rows('select process from lcs_process.ingest')).toHaveLength(ingests.length);
      expect(await Promise.all(apis.map(ready))).toEqual(apis.map(() => 200));
    };
    await vi.waitFor(whole, patient);
    const headers = await signIn(await activeUrl(), 'ada', password);
    const subscriber = await connectAsync(broker.tcpUrl, { reconnectPeriod: 100, resubscribe: true });
    onTestFinished(() => subscriber.endAsync(true));
    const heard = new Map<string, number>();
    subscriber.on('message', (topic) => void heard.set(topic.split('/')[1] ?? '', performance.now()));
    await subscriber.subscribeAsync('reactor/+/+/od_reading/#');
    const commands = new Commands({ units: ledgers.map(({ unit }) => unit), experiment, headers, urls: apiUrls });

    const killed: Record<Part, (which: number) => Promise<void>> = {
      api: async (which) => apis[which % apis.length]?.kill(),
      ingest: async (which) => ingests[which % ingests.length]?.kill(),
      control: async () => (await active()).kill(),
      database: async () => {
        await server.kill();
        await server.start();
      },
      broker: async () => {
        await broker.kill();
        await broker.startAgain();
      },
    };
    /** Readings from after the kill are stored, a page is answered, and units publish. */
    const recovered = async (sinceMs: number, heads: ReadonlyMap<string, number>, part: Part) => {
      const stored = await marks.read();
      expect([...heads].filter(([unit, head]) => (stored.get(unit) ?? 0) <= head)).toEqual([]);
      const asked = apiUrls().map((url) => fetch(`${url}/api/units`, { headers, signal: AbortSignal.timeout(5_000) }));
      const answered = (await Promise.allSettled(asked)).map((one) => one.status === 'fulfilled' && one.value.status);
      expect(answered).toContain(200);
      const silent = ledgers.flatMap(({ unit }) => ((heard.get(unit) ?? 0) <= sinceMs ? [unit] : []));
      if (part === 'broker') expect(silent).toEqual([]);
    };
    const headsOf = (all: readonly Ledger[]): ReadonlyMap<string, number> => {
      for (const ledger of all) ledger.read();
      return new Map(all.map(({ unit, head }) => [unit, head]));
    };
    const tookMs = new Map<Part, number[]>(parts.map((part) => [part, []]));
    for (const [index, { part, which, afterMs }] of planKills(seed, kills, longestPauseMs).entries()) {
      const label = `kill ${index} of seed ${seed}: ${part} ${which}`;
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      const sinceMs = performance.now();
      const killing = killed[part](which);
      const heads = headsOf(ledgers);
      await killing;
      await vi.waitFor(() => recovered(sinceMs, heads, part), within);
      const took = performance.now() - sinceMs;
      tookMs.get(part)?.push(took);
      if (isLongRun) process.stdout.write(`${label}: ${Math.round(took)} ms\n`);
      expect(took, label).toBeLessThan(longestTakeOverMs);
      await vi.waitFor(whole, patient);
    }
    await commands.stop();
    clearInterval(readingAlong);
    for (const [part, times] of tookMs)
      process.stdout.write(
        `${part}: ${times.length} kills, median ${Math.round(median(times))} ms, longest ${Math.round(Math.max(...times))} ms\n`,
      );
    await expectAllStored(await activeUrl(), { folder: folder.path, database, ledgers, headers });
    const { counts, ...wrong } = commands.compare(ledgers);
    process.stdout.write(`commands: ${JSON.stringify(counts)}\n`);
    expect(wrong).toEqual({ twice: [], confirmedAndMissing: [], refusedAndCarriedOut: [], neverOrdered: [] });
    expect(counts.confirmed).toBeGreaterThan(0);
    const client = createClient(leaderApi, { baseUrl: await activeUrl(), headers });
    expect(await client.verifyAudit({ query: {} })).toMatchObject({ is_intact: true });
  },
  180_000 + kills * 90_000,
);
