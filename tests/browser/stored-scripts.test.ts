import { createClient, leaderApi, nodeApi } from '@lcs/contract';
import { type LeaderUnderTest, signIn, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desktop, hasBrowser, openBrowser, takePicture, watch } from './browser.ts';

const password = 'three brown horses';
const reactor_unit = 'rx01';
/** What a text would have to be for a page that shows it as HTML, as an address, as a style or as a formula. */
const scripts = {
  image: '<img src=x onerror=globalThis.ran=1>',
  element: '"><script>globalThis.ran=1</script>',
  svg: "'><svg onload=globalThis.ran=1>",
  address: 'javascript:globalThis.ran=1',
  template: '{{constructor.constructor("globalThis.ran=1")()}}',
} as const;
const all = Object.values(scripts);
const experiment = scripts.image.replaceAll('/', '');

/** Fills every text that a person can store with what would run, were it shown as anything but a text. */
async function fill(leader: LeaderUnderTest): Promise<Record<string, string>> {
  await leader.client.createPerson({
    body: { name: 'ada', role: 'administrator', password, display_name: scripts.svg },
  });
  const headers = await signIn(leader.url, 'ada', password);
  const client = createClient({ ...leaderApi, ...nodeApi }, { baseUrl: leader.url, headers });
  await client.createExperiment({ body: { experiment, description: all.join('\n'), tags: [scripts.svg] } });
  await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  const here = { params: { experiment } };
  await client.putUnitLabel({ ...here, body: { unit: reactor_unit, label: scripts.image } });
  for (const text of all) {
    await client.createNote({ ...here, body: { text } });
    await client.postWorkerLog({
      params: { experiment, reactor_unit },
      body: { message: text, task: text, level: 'notice', source: 'robot' },
    });
  }
  await client.replaceReplicateGroups({ ...here, body: { groups: [{ name: scripts.svg, units: [reactor_unit] }] } });
  await client.createToken({ body: { name: scripts.element, permissions: ['jobs.read'], days: 1 } });
  await client.createPerson({ body: { name: 'eve', role: 'viewer', password, display_name: scripts.image } });
  await client.createAlarmChannel({
    body: { name: scripts.svg, kind: 'webhook', url: 'https://example.org/x', secret: scripts.image },
  });
  const shared = await client.getSharedConfig();
  await client.saveSharedConfig({ body: { code: `${shared}\n[ui.rename]\n${scripts.svg} = ${scripts.image}\n` } });
  return headers;
}

describe.skipIf(!hasBrowser())('stored scripts', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let unit: UnitUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader();
    unit = await startUnit({ name: reactor_unit, leaderUrl: leader.url, clock: leader.clock });
    await leader.client.registerWorker({ body: { reactor_unit } });
    const { cookie = '' } = await fill(leader);
    const [name = '', value = ''] = cookie.split('=');
    const context = await browser.newContext({ viewport: desktop });
    await context.addCookies([{ name, value, url: leader.url }]);
    page = await context.newPage();
    page.on('dialog', (dialog) => dialog.accept());
    seen = watch(page, leader.url);
  });
  afterAll(async () => {
    await browser?.close();
    await unit?.[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
  });

  it('are shown as texts on every page and run on none, and nothing is loaded from elsewhere', async () => {
    const shown = new Map<string, string>([
      [`/experiments/${encodeURIComponent(experiment)}`, scripts.element],
      [`/experiments/${encodeURIComponent(experiment)}/timeline`, scripts.element],
      [`/experiments/${encodeURIComponent(experiment)}/setup`, scripts.element],
      ['/experiments', experiment],
      ['/people', scripts.image],
      ['/audit', 'created experiment'],
      ['/alarms', 'No alarms'],
      ['/config', 'ui.rename'],
      ['/units', reactor_unit],
      ['/', 'running'],
      ['/system', 'Backups'],
      ['/settings/plugins', 'Plugins'],
    ]);
    for (const [path, text] of shown) {
      await page.goto(leader.url + path);
      await page.getByText(text).first().waitFor({ timeout: 10_000 });
      await takePicture(page, `scripts${path.slice(0, 6).replaceAll('/', '-')}${path.slice(-6).replaceAll('/', '-')}`);
      expect(await page.evaluate('globalThis.ran'), path).toBeUndefined();
      expect(await page.locator('img[src=x], svg[onload], a[href^="javascript:"]').count(), path).toBe(0);
    }
    expect(seen.foreign).toEqual([]);
    expect(seen.errors).toEqual([]);
  });
});
