import { createClient, leaderApi, nodeApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { type NodeProcess, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { desktop, hasBrowser, openBrowser, takePicture } from './browser.ts';
import { experiment, startFullDemonstration } from './demonstration.ts';
import { openPage, pages } from './pages.ts';

const profile = `experiment_profile_name: long
version: "1.0"
common:
  jobs:
    stirring:
      actions:
        - {type: log, t: 5h, options: {message: late}}
`;

/** The pages that show something of now. */
const live = [
  'now',
  'experiments',
  'overview',
  'units-of-experiment',
  'timeline',
  'setup',
  'units',
  'live',
  'control',
  'unit-calibrations',
  'hardware',
  'protocols',
  'calibrations',
  'alarms',
  'leader',
  'leaders',
] as const;

/** What says how something is now, without the time of which it is. */
const present = [
  /^(Online|On|Running|Paused|Starting|Live|Records only)$/,
  /^up to date$/i,
  // The leader has not responded for 7 s.
  /\bdata [0-6] s old\b/,
  /\bonline\b/i,
  /\bis running\b/,
  /\(in .*\)/,
];
/** The words of a text that has the time of what it says. */
const datedText = /last known|\bat \d\d:\d\d/i;

/**
 * The texts of the present page that say how something is now; what states the time of which it is, or is marked as old by what
 * contains it, does not.
 */
async function youngerTexts(page: Page): Promise<readonly string[]> {
  const texts = await page.evaluate<readonly string[]>(`(() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (parentElement.closest('script, style, button, nav, h1, h2, h3, label, th[scope=col], dt') !== null) continue;
      if (parentElement.closest('[data-old]:not([data-old=false]), [data-past]') !== null) continue;
      if (parentElement.getClientRects().length === 0) continue;
      found.push(parentElement.textContent.length < 200 ? parentElement.textContent : textContent);
    }
    return found.map((text) => text.trim());
  })()`);
  const marked = await page.evaluate<readonly string[]>(`[
    ...document.querySelectorAll('[data-liveness=online], [data-phase=on], [data-old=false], [data-activity=running], [data-waiting]'),
  ].map((element) => element.outerHTML.slice(0, 120))`);
  return [...marked, ...texts.filter((text) => !datedText.test(text) && present.some((pattern) => pattern.test(text)))];
}

/** No value looks younger than the last response of the leader. */
describe.skipIf(!hasBrowser())('each page when the leader stops responding', () => {
  const clock = realClock();
  let browser: Browser;
  let folder: TemporaryFolder;
  let demo: NodeProcess;
  const opened = new Map<string, Page>();
  /** What still looked current on each page when the limit was over. */
  let younger: ReadonlyMap<string, readonly string[]>;
  let known: ReadonlyMap<string, boolean>;

  beforeAll(async () => {
    browser = await openBrowser();
    folder = await temporaryFolder('stale-pages');
    demo = await startFullDemonstration(folder.path, { units: 2, pastHours: 2 });
    const client = createClient(leaderApi, { baseUrl: demo.url });
    await client.createExperimentProfile({ body: { filename: 'long.yaml', body: profile } });
    const accepted = await createClient(nodeApi, { baseUrl: demo.url }).runJob({
      params: { job: 'experiment_profile' },
      body: { args: ['execute', 'long.yaml', experiment] },
    });
    await waitForTask(demo.url, accepted, { sleep: (ms) => clock.sleep(ms) });
    const runs = () => client.listRecentProfileRuns({ params: { experiment } });
    await vi.waitFor(async () => expect(await runs()).toHaveLength(1), 30_000);
    const [{ run_id = '' } = {}] = await runs();
    const addresses = [
      ...live.map((name) => [name, pages[name]] as const),
      ['profile run', `/experiments/${experiment}/profiles/${run_id}`] as const,
    ];
    for (const [name, path] of addresses) {
      // A browser context for each: a browser allows only few streams to one address.
      const page = await (await browser.newContext({ viewport: desktop })).newPage();
      await openPage(page, demo.url, path);
      opened.set(name, page);
    }
    demo.child.kill('SIGSTOP');
    // 5 s from the last response, and the time in which a loaded computer draws so many pages.
    await clock.sleep(7_000);
    const all = [...opened];
    younger = new Map(await Promise.all(all.map(async ([name, page]) => [name, await youngerTexts(page)] as const)));
    known = new Map(
      await Promise.all(
        all.map(
          async ([name, page]) =>
            [name, (await page.getByText(/the leader has not responded since/).count()) === 1] as const,
        ),
      ),
    );
    for (const [name, page] of all) await takePicture(page, `stale-${name}`);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([...opened.values()].map((page) => page.context().close()));
    demo?.child.kill('SIGCONT');
    await demo?.kill('SIGKILL');
    await folder?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it.each([...live, 'profile run'])('%s states the time of which its values are, and none looks younger', (name) => {
    expect(known.get(name)).toBe(true);
    expect(younger.get(name)).toEqual([]);
  });
});
