import { temporaryFolder } from '@lcs/testkit';
import { connectAsync } from 'mqtt';
import { expect, it } from 'vitest';
import { experiment, Fleet } from './fleet.ts';
import { type Arrival, frozenSubscriber, frozenTab, OpenPage } from './frozen-readers.ts';
import { machineIdOf } from './ledger.ts';
import { planKills } from './plan.ts';
import { StoredRecords } from './stored.ts';

const unitCount = 2;
const seriesCount = 2 * unitCount;
/** A short run belongs to every test run; `npm run test:kill` opens as many pages as a laboratory has screens. */
const pages = process.env.LCS_KILL_LEADER === undefined ? 15 : 50;
/** More than the system buffers for a connection that is not read, 2 to 4 MB. */
const flood = { entries: 200, charactersEach: 8_000, clients: 8, messages: 60, bytesEach: 100_000 };

/** Milliseconds from a reading's time stamp to its arrival. */
function lags(arrivals: readonly Arrival[]): string {
  const sorted = arrivals.map(({ at, arrivedMs }) => arrivedMs - at).sort((a, b) => a - b);
  const part = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `${sorted.length} readings, ${part(0.5)} ms (half), ${part(0.95)} ms (95 %), ${part(1)} ms (all)`;
}

it(`brings readings to the store and to a page in order, whatever a frozen tab, a frozen subscriber and ${pages} pages do`, async () => {
  await using folder = await temporaryFolder('frozen');
  const plan = planKills(1, { leader: 0, units: 0, broker: 0 }, unitCount);
  await using fleet = new Fleet({ folder: folder.path, plan, bufferMebibytes: 256, broker: 'leader' });
  await fleet.begin();
  const { wire, leaderUrl, client } = fleet;
  const open = async () => {
    const page = new OpenPage(() => wire.now());
    await page.open(leaderUrl);
    return page;
  };
  await using cleanUp = new AsyncDisposableStack();
  const healthy = cleanUp.use(await open());

  /** Waits until the present readings have arrived, and returns the delay of those of the last `ms`. */
  const look = async (page: OpenPage, ms: number) => {
    const fromMs = wire.now();
    await wire.sleep(ms);
    const untilMs = wire.now();
    const isThere = () => [...page.of('raw_od').values()].filter((list) => (list.at(-1)?.at ?? 0) >= untilMs).length;
    const limitMs = wire.monotonic() + 20_000;
    while (isThere() < seriesCount && wire.monotonic() < limitMs) await wire.sleep(20);
    expect(isThere(), 'series whose newest readings have come').toBe(seriesCount);
    return page.arrivals.filter(({ at }) => at >= fromMs && at <= untilMs);
  };
  const told: string[] = [`nobody else: ${lags(await look(healthy, 1_500))}`];

  const frozen = [await frozenTab(leaderUrl), await frozenSubscriber(fleet.mqttUrl)];
  for (const socket of frozen) cleanUp.defer(() => void socket.destroy());
  const publisher = await connectAsync(fleet.mqttUrl);
  cleanUp.defer(() => publisher.endAsync());
  const message = 'x'.repeat(flood.charactersEach);
  const params = { reactor_unit: 'unit1', experiment };
  const pour = async () => {
    for (let index = 0; index < flood.entries / flood.clients; index += 1)
      await client.postUnitLog({ params, body: { message, level: 'INFO', source: 'flood' } });
  };
  const pourMessages = async () => {
    const payload = Buffer.alloc(flood.bytesEach, 'x');
    for (let index = 0; index < flood.messages; index += 1) await publisher.publishAsync('flood', payload);
  };
  const pouring = Promise.all([pourMessages(), ...Array.from({ length: flood.clients }, pour)]);
  told.push(`a frozen tab and subscriber, while their connections fill: ${lags(await look(healthy, 1_500))}`);
  await pouring;
  expect(frozen.map(({ bytesRead }) => bytesRead < 200_000)).toEqual([true, true]);
  told.push(`the same, filled: ${lags(await look(healthy, 1_500))}`);

  const others = await Promise.all(Array.from({ length: pages }, open));
  for (const page of others) cleanUp.use(page);
  told.push(`and ${pages} pages: ${lags(await look(healthy, 1_500))}`);
  await Promise.all(others.map((page) => look(page, 0)));
  process.stdout.write(`from measuring to the page\n  ${told.join('\n  ')}\n`);
  for (const page of [healthy, ...others]) {
    for (const [from, list] of page.of('raw_od')) {
      const times = list.map(({ at }) => at);
      expect(times, from).toEqual([...new Set(times)].sort((a, b) => a - b));
    }
  }
  const heads = await fleet.catchUp();
  using stored = new StoredRecords(fleet.folderOf('leader'));
  for (const ledger of fleet.ledgers) {
    const machineId = machineIdOf(fleet.folderOf(ledger.unit));
    const { lost, doubled } = stored.compare(ledger, machineId, heads.get(ledger.unit) ?? 0);
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
  }
}, 240_000);
