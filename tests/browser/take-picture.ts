import { fileURLToPath } from 'node:url';
import { VirtualClock } from '@lcs/platform';
import { startLeader } from '@lcs/testkit';
import { desktop, openBrowser } from './browser.ts';

/** Takes the picture of the README: `npm run picture`. */
const day = 24 * 3_600_000;
const clock = new VirtualClock({ startMs: Date.now() - 9 * day });
await using leader = await startLeader({ clock });
const examples = [
  ['yeast ramp 07', '30 to 34 °C ramp, three replicates', ['yeast', 'ramp'], 3, 4],
  ['chemostat control', 'Dilution rate 0.2 per hour, synthetic medium', ['yeast', 'control'], 2, 2.5],
  ['E. coli turbidostat', 'Holds OD 0.4', ['coli', 'turbidostat'], 0, 2],
  ['media test', 'Four media, growth rate only', ['media: LB', 'media: M9'], 1, 0.5],
] as const;
let unit = 0;
for (const [experiment, description, tags, units, daysUntilNext] of examples) {
  await leader.client.createExperiment({ body: { experiment, description, tags: [...tags] } });
  for (let count = 0; count < units; count += 1) {
    unit += 1;
    const reactor_unit = `rx0${unit}`;
    await leader.client.registerWorker({ body: { reactor_unit } });
    await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  }
  await clock.advance(daysUntilNext * day);
}
const browser = await openBrowser();
const page = await browser.newPage({ viewport: { ...desktop, height: 480 } });
await page.goto(leader.url);
await page.getByText('Live', { exact: true }).waitFor();
await page.getByRole('table', { name: 'Experiments' }).getByRole('link', { name: 'media test' }).waitFor();
await page.screenshot({ path: fileURLToPath(new URL('../../docs/images/experiments.png', import.meta.url)) });
await browser.close();
