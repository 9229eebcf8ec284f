import { quantile } from '@lcs/domain';
import { type Browser, chromium } from 'playwright-core';
import { experiment } from './demonstration.ts';
import { launchOptions } from './launch-browser.ts';
import { measuredUnits, startMeasuredDemo, untilFirstChart } from './measured-demo.ts';

/**
 * Measures the first load of the page of an experiment with LCS_UNITS units (24): `npm run measure:web`. Prints requests and
 * kilobytes on the wire until the first chart has its lines and until the page is complete, and the time to the first chart.
 * LCS_URL: of a demonstration that runs already.
 */
const loads = 5;
/** After the first chart the rest of the page loads. */
const restMs = 6_000;

interface Load {
  readonly firstChartMs: number;
  /** Processor time of the main thread until then: other load of the machine does not show in it. */
  readonly busyMs: number;
  readonly atFirstChart: Traffic;
  readonly whole: Traffic;
}

interface Traffic {
  readonly requests: number;
  readonly kilobytes: number;
}

async function load(browser: Browser, url: string): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Performance.enable', { timeDomain: 'threadTicks' });
  let [requests, bytes] = [0, 0];
  network.on('Network.requestWillBeSent', () => {
    requests += 1;
  });
  network.on('Network.responseReceived', ({ response }) => {
    bytes += response.encodedDataLength;
  });
  network.on('Network.dataReceived', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const traffic = (): Traffic => ({ requests, kilobytes: Math.round(bytes / 1000) });
  const startMs = performance.now();
  await page.goto(`${url}/experiments/${experiment}`);
  await untilFirstChart(page);
  const firstChartMs = performance.now() - startMs;
  const atFirstChart = traffic();
  const { metrics } = await network.send('Performance.getMetrics');
  const busyMs = 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  await page.waitForTimeout(restMs);
  const whole = traffic();
  await context.close();
  return { firstChartMs, busyMs, atFirstChart, whole };
}

await using demo = await startMeasuredDemo('first-chart');
const browser = await chromium.launch(launchOptions());
const measured: Load[] = [];
for (let time = 0; time < loads; time += 1) measured.push(await load(browser, demo.url));
await browser.close();
const median = (of: (each: Load) => number): number =>
  Math.round(
    quantile(
      measured.map(of).toSorted((a, b) => a - b),
      0.5,
    ),
  );
console.log(`${measuredUnits} units, median of ${loads} loads`);
console.log(
  `first chart: ${median(({ firstChartMs }) => firstChartMs)} ms, ${median(({ busyMs }) => busyMs)} ms of a processor`,
);
console.log(
  `until then: ${median(({ atFirstChart }) => atFirstChart.requests)} requests, ${median(({ atFirstChart }) => atFirstChart.kilobytes)} kB`,
);
console.log(
  `${restMs / 1000} s later: ${median(({ whole }) => whole.requests)} requests, ${median(({ whole }) => whole.kilobytes)} kB`,
);
