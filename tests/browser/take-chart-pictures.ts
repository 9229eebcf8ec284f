import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { launchOptions } from './launch-browser.ts';

/**
 * `node tests/browser/take-chart-pictures.ts FOLDER PREFIX` draws each `NAME.json` of the folder as the picture
 * `docs/images/PREFIX-NAME.png`: panels with lines, and bands about them. `x` of a panel is `time` (ms since 1970, the default) or
 * `hours`. `npm run test:control` and `npm run picture:science` leave such files.
 */
const [folder, prefix] = process.argv.slice(2);
if (folder === undefined || prefix === undefined) throw new Error('Give the folder with the points, and a prefix.');

const resolved = createRequire(import.meta.url).resolve('uplot');
const library = await readFile(join(resolved, '../uPlot.iife.min.js'), 'utf8');
const style = await readFile(join(resolved, '../uPlot.min.css'), 'utf8');

/** Of the page: a chart for each panel, all lines in it. A line over time is broken where nothing was measured for long. */
const draw = `
const colours = ['#0b62a4', '#d1495b', '#2e8b57', '#b8860b', '#6a4c93', '#00808c', '#8b4513', '#555555'];
const longestGapMs = 45 * 60000;
const withGaps = (points) => points.flatMap((point, index) => {
  const before = points[index - 1];
  return before && point[0] - before[0] > longestGapMs ? [[(point[0] + before[0]) / 2, null], point] : [point];
});
const tableOf = (points, isTime) => {
  const shown = isTime ? withGaps(points) : points;
  const columns = Math.max(2, ...shown.map(({ length }) => length));
  return Array.from({ length: columns }, (_, column) =>
    shown.map((point) => column === 0 && isTime ? point[0] / 1000 : point[column] ?? null));
};
const ends = run.panels.flatMap(({ lines }) => lines.flatMap(({ points }) => [points[0], points.at(-1)])).filter(Boolean);
const range = [Math.min(...ends.map(([x]) => x)), Math.max(...ends.map(([x]) => x))];
for (const { title, lines, x = 'time', y } of run.panels) {
  const isTime = x === 'time';
  const tables = lines.map(({ points }) => tableOf(points, isTime));
  const data = tables.length === 0 ? [[]] : uPlot.join(tables, tables.map((table) => table.map(() => 2)));
  const series = [{}];
  const bands = [];
  lines.forEach(({ unit, isDashed }, index) => {
    const stroke = colours[index % colours.length];
    const at = series.push({
      label: unit, stroke, width: 1, spanGaps: !isTime, points: { show: false }, ...(isDashed && { dash: [6, 4] }),
    });
    // Third and fourth column: the bounds of the band.
    if (tables[index].length < 4) return;
    const bound = { label: 'bound', stroke: 'transparent', width: 1, spanGaps: !isTime, points: { show: false } };
    series.push(bound, bound);
    bands.push({ series: [at, at + 1], fill: stroke + '40' });
  });
  new uPlot({
    title, width: 1180, height: 260, legend: { show: true, live: false },
    scales: { x: { time: isTime, range: isTime ? range.map((ms) => ms / 1000) : range }, ...(y && { y: { range: y } }) },
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
    axes: [{ ...(!isTime && { label: 'hours' }) }, { size: 60 }],
    series, bands,
  }, data, document.body);
}
for (const row of document.querySelectorAll('.u-series')) if (row.textContent.trim() === 'bound') row.remove();
`;

const browser = await chromium.launch(launchOptions());
try {
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json'))) {
    const page = await browser.newPage({ viewport: { width: 1220, height: 400 } });
    const points = (await readFile(join(folder, file), 'utf8')).replaceAll('<', '\\u003c');
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.setContent(
      `<!doctype html><style>${style} body { margin: 12px; background: #fff; }</style><body><script>${library}</script><script>const run = ${points};${draw}</script>`,
    );
    if (errors.length > 0) throw new Error(`${file} could not be drawn: ${errors.join('; ')}`);
    const name = file.replace(/\.json$/, '').replaceAll('_', '-');
    const path = fileURLToPath(new URL(`../../docs/images/${prefix}-${name}.png`, import.meta.url));
    await page.screenshot({ path, fullPage: true });
    console.log(path);
  }
} finally {
  await browser.close();
}
