import { quantile } from '@lcs/domain';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { experiment } from './demonstration.ts';
import { launchOptions } from './launch-browser.ts';
import { startMeasuredDemo, untilFirstChart } from './measured-demo.ts';

/**
 * Measures the frames of the charts of an experiment with LCS_UNITS units (24) while a pointer hovers, marks a part, moves the
 * window and runs over the legend: `npm run measure:frames`. Prints, for each gesture, how far apart frames are, how much
 * processor time they need, and how much is drawn on canvases; other load of the machine shows in the first only. LCS_URL: of a
 * demonstration that runs already.
 */
const settleMs = 1_500;
const idleMs = 20_000;

/** What a page has done so far; `busyMs`: processor time of its process and of the one that composes it. */
interface Work {
  readonly busyMs: number;
  readonly draws: number;
  readonly points: number;
}

/** Counts what is drawn, and the frames. */
const countDrawing = `
  window.drawn = { draws: 0, points: 0, frames: [] };
  for (const name of ['stroke', 'fill', 'fillRect', 'fillText', 'drawImage', 'clearRect']) {
    const original = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...args) { window.drawn.draws += 1; return original.apply(this, args); };
  }
  const lineTo = CanvasRenderingContext2D.prototype.lineTo;
  CanvasRenderingContext2D.prototype.lineTo = function (x, y) { window.drawn.points += 1; return lineTo.call(this, x, y); };
  let before = performance.now();
  window.frame = (now) => { window.drawn.frames.push(now - before); before = now; requestAnimationFrame((next) => window.frame(next)); };
`;

async function workOf(page: Page, processes: CDPSession): Promise<Work> {
  const { processInfo } = await processes.send('SystemInfo.getProcessInfo');
  const busyMs = processInfo.reduce((sum, { type, cpuTime }) => sum + (type === 'browser' ? 0 : 1000 * cpuTime), 0);
  const { draws, points } = await page.evaluate<{ draws: number; points: number }>('window.drawn');
  return { busyMs, draws, points };
}

const percent = (frames: readonly number[], share: number): string =>
  quantile(
    frames.toSorted((one, other) => one - other),
    share,
  ).toFixed(1);

/** Runs a gesture and prints what it cost. */
async function measure(page: Page, processes: CDPSession, name: string, act: () => Promise<void>): Promise<void> {
  await page.waitForTimeout(settleMs);
  await page.evaluate('window.drawn.frames.length = 0');
  const before = await workOf(page, processes);
  await act();
  const after = await workOf(page, processes);
  const frames = await page.evaluate<number[]>('window.drawn.frames');
  const durationMs = frames.reduce((sum, each) => sum + each, 0);
  console.log(
    [
      name.padEnd(14),
      `frames ${frames.length}`,
      `p50 ${percent(frames, 0.5)} ms`,
      `p95 ${percent(frames, 0.95)} ms`,
      `p99 ${percent(frames, 0.99)} ms`,
      `${((after.busyMs - before.busyMs) / frames.length).toFixed(1)} ms of a processor a frame (${((100 * (after.busyMs - before.busyMs)) / durationMs).toFixed(0)} %)`,
      `${((after.draws - before.draws) / frames.length).toFixed(0)} draws`,
      `${((after.points - before.points) / frames.length).toFixed(0)} points a frame`,
    ].join(', '),
  );
}

const nextFrame = (page: Page): Promise<unknown> => page.evaluate('new Promise(requestAnimationFrame)');

/** Moves the pointer along a line, once for each frame. */
async function glide(page: Page, from: readonly [number, number], to: readonly [number, number], steps = 120) {
  for (let step = 0; step <= steps; step += 1) {
    const share = step / steps;
    await Promise.all([
      page.mouse.move(from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])),
      nextFrame(page),
    ]);
  }
}

async function gestures(page: Page, processes: CDPSession): Promise<void> {
  const plot = page.locator('[data-newest] .u-over').first();
  const box = await plot.boundingBox();
  if (box === null) throw new Error('There is no chart.');
  const y = box.y + box.height / 2;
  const at = (share: number): [number, number] => [box.x + share * box.width, y];
  await measure(page, processes, 'still', () => page.waitForTimeout(2_000));
  await measure(page, processes, 'hover', () => glide(page, at(0.1), at(0.9)));
  await page.mouse.move(...at(0.4));
  await page.mouse.down();
  await measure(page, processes, 'brush', async () => {
    await glide(page, at(0.4), at(0.95), 60);
    await glide(page, at(0.95), at(0.8), 60);
  });
  await page.mouse.up();
  // The marked part is the window now: there is room on both sides.
  await page.waitForTimeout(settleMs);
  await page.mouse.move(...at(0.2));
  await page.keyboard.down('Shift');
  await page.mouse.down();
  await measure(page, processes, 'pan', async () => {
    await glide(page, at(0.2), at(0.7), 60);
    await glide(page, at(0.7), at(0.3), 60);
  });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.mouse.move(...at(0.5));
  await measure(page, processes, 'wheel', async () => {
    await page.keyboard.down('Control');
    for (let notch = 0; notch < 60; notch += 1)
      await Promise.all([page.mouse.wheel(0, notch < 30 ? -40 : 40), nextFrame(page)]);
    await page.keyboard.up('Control');
  });
  const buttons = await page.locator('ul[aria-label="Units on the charts"] button').all();
  const boxes = await Promise.all(buttons.map((button) => button.boundingBox()));
  await measure(page, processes, 'legend', async () => {
    for (const each of boxes) {
      if (each === null) continue;
      const middle = each.y + each.height / 2;
      await glide(page, [each.x + 2, middle], [each.x + each.width - 2, middle], 4);
    }
  });
  await page.mouse.move(2, 2);
  await idle(page, processes);
}

/** What the page needs when nobody touches it, and nothing asks for frames. */
async function idle(page: Page, processes: CDPSession): Promise<void> {
  await page.evaluate('window.frame = () => {}');
  await page.waitForTimeout(settleMs);
  const [before, beganMs] = [await workOf(page, processes), performance.now()];
  await page.waitForTimeout(idleMs);
  const after = await workOf(page, processes);
  const share = (100 * (after.busyMs - before.busyMs)) / (performance.now() - beganMs);
  console.log(`nobody touches it: ${share.toFixed(1)} % of a core over ${idleMs / 1000} s`);
}

await using demo = await startMeasuredDemo('frames');
const browser = await chromium.launch(launchOptions());
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
  const processes = await browser.newBrowserCDPSession();
  await page.addInitScript(countDrawing);
  await page.goto(`${demo.url}/experiments/${experiment}`);
  await untilFirstChart(page);
  await page.waitForTimeout(5_000);
  // Where nothing is drawn the browser makes no frames; it makes them from here on.
  await page.evaluate('requestAnimationFrame(frame)');
  await gestures(page, processes);
} finally {
  await browser.close();
}
