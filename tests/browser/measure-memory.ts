import { hourMs } from '@lcs/contract';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { experiment } from './demonstration.ts';
import { type FastLeader, fastTime, startFastLeader } from './fast-leader.ts';
import { launchOptions } from './launch-browser.ts';
import { measuredUnits, startMeasuredDemo, untilFirstChart } from './measured-demo.ts';

/**
 * Measures the memory of the page of an experiment with LCS_UNITS units (24), and of the page Now, over LCS_HOURS hours of live data
 * (8) that come LCS_SPEED times as fast (30): `npm run measure:memory`. At intervals all garbage is collected; prints what remains,
 * and how much of it came in each hour of the last half. LCS_URL: of a demonstration that runs already.
 */
const hours = Number(process.env.LCS_HOURS ?? 8);
const speed = Number(process.env.LCS_SPEED ?? 30);
const recordMs = 120_000;
const samples = 24;
const settleMs = 5_000;

interface Sample {
  readonly hours: number;
  readonly heapKb: number;
  readonly nodes: number;
  readonly listeners: number;
}

interface WatchedPage {
  readonly name: string;
  readonly page: Page;
  readonly session: CDPSession;
  readonly samples: Sample[];
}

async function open(context: Awaited<ReturnType<typeof newContext>>, name: string, url: string): Promise<WatchedPage> {
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(`${name}: ${error}`));
  await page.goto(url);
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.enable');
  return { name, page, session, samples: [] };
}

const newContext = async (url: FastLeader) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
  await context.addInitScript(fastTime(url, speed));
  return context;
};

async function sample({ session, samples: taken, name, page }: WatchedPage, atHours: number): Promise<void> {
  // What a first collection sets free a second one may collect.
  for (let time = 0; time < 2; time += 1) await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (metric: string): number => metrics.find((each) => each.name === metric)?.value ?? Number.NaN;
  const one = {
    hours: atHours,
    heapKb: of('JSHeapUsedSize') / 1000,
    nodes: of('Nodes'),
    listeners: of('JSEventListeners'),
  };
  taken.push(one);
  const newest =
    (await page
      .locator('[data-newest]')
      .first()
      .getAttribute('data-newest')
      .catch(() => null)) ?? '';
  console.log(
    `${atHours.toFixed(2)} h, ${name}: heap ${(one.heapKb / 1000).toFixed(2)} MB, ${one.nodes} nodes, ${one.listeners} listeners ${newest.slice(0, 60)}`,
  );
}

/** By how much a quantity grows in an hour: the slope of the straight line through the samples (least squares). */
function growth(taken: readonly Sample[], of: (each: Sample) => number): number {
  const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const [x, y] = [mean(taken.map((each) => each.hours)), mean(taken.map(of))];
  const spread = taken.reduce((sum, each) => sum + (each.hours - x) ** 2, 0);
  return taken.reduce((sum, each) => sum + (each.hours - x) * (of(each) - y), 0) / spread;
}

await using demo = await startMeasuredDemo('memory');
await using leader = await startFastLeader({ upstream: demo.url, experiment, recordMs, speed });
const browser = await chromium.launch(launchOptions());
try {
  // A context each: a page in another tab of the same window would be hidden, and pause.
  const overview = await open(await newContext(leader), 'experiment', `${leader.url}/experiments/${experiment}`);
  const now = await open(await newContext(leader), 'now', leader.url);
  await untilFirstChart(overview.page);
  // Each chart keeps live readings once it was in view.
  for (const chart of await overview.page.locator('section[aria-labelledby]').all()) {
    await chart.scrollIntoViewIfNeeded();
    await overview.page.waitForTimeout(settleMs / 5);
  }
  await overview.page.evaluate('scrollTo(0, 0)');
  await overview.page.waitForTimeout(settleMs);
  const beganMs = leader.now();
  const sentBefore = leader.sent();
  for (let at = 0; at <= samples; at += 1) {
    const dueMs = beganMs + (at / samples) * hours * hourMs;
    await overview.page.waitForTimeout(Math.max(0, dueMs - leader.now()) / speed);
    for (const each of [overview, now]) await sample(each, (leader.now() - beganMs) / hourMs);
  }
  const events = leader.sent() - sentBefore;
  console.log(
    `${measuredUnits} units, ${hours} h of live data, ${events} events (${(events / hours / 3600).toFixed(1)} a second of data)`,
  );
  for (const { name, samples: taken } of [overview, now]) {
    const last = taken.slice(taken.length >> 1);
    console.log(
      `${name}, growth in an hour of the last half: heap ${growth(last, (each) => each.heapKb).toFixed(0)} kB, nodes ${growth(last, (each) => each.nodes).toFixed(1)}, listeners ${growth(last, (each) => each.listeners).toFixed(1)}`,
    );
  }
} finally {
  await browser.close();
}
