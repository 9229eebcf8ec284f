import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { launchOptions } from './launch-browser.ts';

/**
 * Draws what `npm run test:control` has left in the folder `LCS_CONTROL_POINTS` as pictures of the documentation: a file for
 * each run, with density, growth rate, temperature and volume of all units.
 */
const folder = process.env.LCS_CONTROL_POINTS;
if (folder === undefined) throw new Error('LCS_CONTROL_POINTS must name the folder with the points.');

const resolved = createRequire(import.meta.url).resolve('uplot');
const library = await readFile(join(resolved, '../uPlot.iife.min.js'), 'utf8');
const style = await readFile(join(resolved, '../uPlot.min.css'), 'utf8');

/** Of the page: a chart for each panel, all units in it. A line is broken where nothing was measured for long. */
const draw = `
const colours = ['#0b62a4', '#d1495b', '#2e8b57', '#b8860b', '#6a4c93', '#00808c', '#8b4513', '#555555'];
const longestGapMs = 45 * 60000;
const withGaps = (points) => points.flatMap(([at, value], index) => {
  const before = points[index - 1];
  return before && at - before[0] > longestGapMs ? [[(at + before[0]) / 2, null], [at, value]] : [[at, value]];
});
const moments = run.panels.flatMap(({ lines }) => lines.flatMap(({ points }) => [points[0], points.at(-1)]));
const seconds = moments.filter(Boolean).map(([at]) => at / 1000);
const range = [Math.min(...seconds), Math.max(...seconds)];
for (const { title, lines } of run.panels) {
  const tables = lines.map(({ points }) => {
    const shown = withGaps(points);
    return [shown.map(([at]) => at / 1000), shown.map(([, value]) => value)];
  });
  const data = tables.length === 0 ? [[]] : uPlot.join(tables, tables.map((table) => table.map(() => 2)));
  new uPlot({
    title, width: 1180, height: 260, legend: { show: true, live: false },
    scales: { x: { time: true, range } }, tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
    axes: [{}, { size: 60 }],
    series: [{}, ...lines.map(({ unit }, index) => ({
      label: unit, stroke: colours[index % colours.length], width: 1, spanGaps: false, points: { show: false },
    }))],
  }, data, document.body);
}
`;

const browser = await chromium.launch(launchOptions());
try {
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json'))) {
    const page = await browser.newPage({ viewport: { width: 1220, height: 1300 } });
    const points = (await readFile(join(folder, file), 'utf8')).replaceAll('<', '\\u003c');
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.setContent(
      `<!doctype html><style>${style} body { margin: 12px; background: #fff; }</style><body><script>${library}</script><script>const run = ${points};${draw}</script>`,
    );
    if (errors.length > 0) throw new Error(`${file} could not be drawn: ${errors.join('; ')}`);
    const name = file.replace(/\.json$/, '').replaceAll('_', '-');
    const path = fileURLToPath(new URL(`../../docs/images/control-${name}.png`, import.meta.url));
    await page.screenshot({ path, fullPage: true });
    console.log(path);
  }
} finally {
  await browser.close();
}
