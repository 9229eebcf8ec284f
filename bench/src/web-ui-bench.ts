import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '@lcs/domain';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { launchOptions } from '../../tests/browser/launch-browser.ts';
import type { Figure } from './figures.ts';
import { startLeaderUnderLoad } from './leader-under-load.ts';
import { startJobs } from './many-units-bench.ts';
import { createMembers, untilMembers } from './members.ts';
import { inProcesses, startUnitFarm, type UnitFarm } from './unit-farm.ts';

const experiment = 'bench';
const processes = 2;
/** Until growth rates and curves are shown everywhere. */
const settleMs = 20_000;
const idleMs = 20_000;
const hoverSteps = 120;

/** What a page received, by type of file, in bytes on the wire (compressed). */
interface Received {
  requests: number;
  bytes: number;
  codeBytes: number;
}

async function receivedBy(session: CDPSession): Promise<Received> {
  const received: Received = { requests: 0, bytes: 0, codeBytes: 0 };
  const isCode = new Map<string, boolean>();
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  session.on('Network.requestWillBeSent', ({ requestId, type }) => {
    received.requests += 1;
    isCode.set(requestId, type === 'Script' || type === 'Stylesheet');
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    received.bytes += encodedDataLength;
    if (isCode.get(requestId)) received.codeBytes += encodedDataLength;
  });
  return received;
}

/** Processor time of the main thread of the page, in seconds, and its memory. */
async function metrics(session: CDPSession): Promise<{ readonly busyS: number; readonly heapMb: number }> {
  const { metrics: all } = await session.send('Performance.getMetrics');
  const of = (name: string): number => all.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return { busyS: of('TaskDuration'), heapMb: of('JSHeapUsedSize') / 1e6 };
}

/** Opens the page Now: what it received until every unit shows an OD, and how long that took. */
async function firstPage(page: Page, session: CDPSession, url: string, units: number) {
  const received = await receivedBy(session);
  const startedMs = performance.now();
  await page.goto(url);
  await page.waitForFunction(
    `[...document.querySelectorAll('[data-unit] [data-old=false]')].filter((value) => /^OD/.test(value.innerText)).length >= ${units}
      && document.querySelectorAll('[data-unit] path[d^=M]').length >= ${units}`,
    undefined,
    { timeout: 60_000 },
  );
  const shownMs = performance.now() - startedMs;
  const paintMs = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN`,
  );
  return { ...received, shownMs, paintMs };
}

/** How much of a core the main thread needs while nobody touches the page. */
async function idleShare(session: CDPSession): Promise<number> {
  await sleep(settleMs / 2);
  const before = await metrics(session);
  await sleep(idleMs);
  const after = await metrics(session);
  return ((after.busyS - before.busyS) / (idleMs / 1_000)) * 100;
}

/** Runs the pointer over the first chart, a step for each frame; the times between frames. */
async function hoverFrames(page: Page): Promise<readonly number[]> {
  const box = await page.locator('[data-newest] .u-over').first().boundingBox();
  if (box === null) throw new Error('There is no chart.');
  await page.evaluate(`(() => {
    window.measuredFrames = [];
    let before = performance.now();
    const frame = (now) => { window.measuredFrames.push(now - before); before = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  })()`);
  for (let step = 0; step <= hoverSteps; step += 1)
    await Promise.all([
      page.mouse.move(box.x + (box.width * (step + 1)) / (hoverSteps + 2), box.y + box.height / 2),
      page.evaluate('new Promise(requestAnimationFrame)'),
    ]);
  const frames = await page.evaluate<number[]>('window.measuredFrames');
  return frames.toSorted((one, other) => one - other);
}

/** An experiment with all these units: until its first chart, then nobody touches it, then the pointer runs over it. */
async function experimentFigures(page: Page, session: CDPSession, url: string, units: number): Promise<Figure[]> {
  const named = (name: string) => `an experiment, ${units} units: ${name}`;
  const startedMs = performance.now();
  await page.goto(`${url}/experiments/${experiment}/overview`);
  const drawn = page.locator('[data-newest]:not([data-newest=""]):not([data-newest="{}"])').first();
  await drawn.waitFor({ timeout: 120_000 });
  const firstChartMs = performance.now() - startedMs;
  const share = await idleShare(session);
  const elements = await page.evaluate<number>('document.querySelectorAll("*").length');
  const frames = await hoverFrames(page);
  return [
    { name: named('first chart'), value: firstChartMs, unit: 'ms', ...(units <= 24 && { aim: { atMost: 1_500 } }) },
    {
      name: named('pointer over a chart, p95 between frames'),
      value: quantile(frames, 0.95),
      unit: 'ms',
      ...(units <= 24 && { aim: { atMost: 20 } }),
    },
    { name: named('nobody touches it, main thread'), value: share, unit: '% of a core' },
    { name: named('elements of the page'), value: elements, unit: '' },
  ];
}

async function pageFigures(url: string, units: number): Promise<Figure[]> {
  const options = launchOptions();
  if (options === undefined) throw new Error('No browser is installed.');
  const browser = await chromium.launch(options);
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
    const session = await page.context().newCDPSession(page);
    // Other load of the machine does not count.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const first = await firstPage(page, session, url, units);
    const share = await idleShare(session);
    const { heapMb } = await metrics(session);
    const ofExperiment = await experimentFigures(page, session, url, units);
    const kb = (bytes: number) => bytes / 1_000;
    const named = (name: string) => `page Now, ${units} units: ${name}`;
    return [
      { name: named('JS and CSS, compressed'), value: kb(first.codeBytes), unit: 'kB', aim: { atMost: 250 } },
      { name: named('everything until all units are shown'), value: kb(first.bytes), unit: 'kB', aim: { atMost: 600 } },
      { name: named('requests'), value: first.requests, unit: '', aim: { atMost: 30 } },
      { name: named('first paint'), value: first.paintMs, unit: 'ms' },
      { name: named('all values and curves are shown'), value: first.shownMs, unit: 'ms', aim: { atMost: 1_500 } },
      {
        name: named('nobody touches it, main thread'),
        value: share,
        unit: '% of a core',
        ...(units <= 24 && { aim: { atMost: 10 } }),
      },
      { name: named('memory of JavaScript'), value: heapMb, unit: 'MB' },
      ...ofExperiment,
    ];
  } finally {
    await browser.close();
  }
}

async function withUnits(count: number): Promise<Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  const names = Array.from({ length: count }, (_, index) => `unit${index + 1}`);
  const farms: UnitFarm[] = [];
  try {
    await using leader = await startLeaderUnderLoad(join(root, 'leader'));
    const { url: leaderUrl, mqttUrl } = leader;
    await createMembers(leaderUrl, experiment, names);
    const folder = join(root, 'units');
    const starting = inProcesses(names, processes).map((group) =>
      startUnitFarm({ leaderUrl, mqttUrl, folder, units: group.map((name) => ({ name, port: 0 })) }),
    );
    farms.push(...(await Promise.all(starting)));
    await untilMembers(leaderUrl, names);
    await startJobs(leaderUrl);
    await sleep(settleMs);
    return await pageFigures(leaderUrl, count);
  } finally {
    for (const farm of farms) await farm[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  }
}

/** The start page of the web UI and an experiment in Chromium, over simulated units at work; `part`: how many, such as `24`. */
export async function webUiBench(part: string): Promise<Figure[]> {
  const counts = part === '' ? [24, 100] : [Number(part)];
  const figures: Figure[] = [];
  for (const count of counts) figures.push(...(await withUnits(count)));
  return figures;
}
