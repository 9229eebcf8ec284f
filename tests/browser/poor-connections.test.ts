import { realClock } from '@lcs/platform';
import { advanceableClock, type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, CDPSession, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desktop, hasBrowser, openBrowser, phone, takePicture, watch } from './browser.ts';
import { type CuttableWay, cuttableWayTo } from './cuttable.ts';

const experiment = 'far away';
const params = { experiment };
const patience = { timeout: 30_000 };
/** A poor mobile connection: `null` is the usual one. */
const slow = { latencyMs: 400, bytesPerS: 50_000 };

describe.skipIf(!hasBrowser())('poor connections', () => {
  const wire = advanceableClock();
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let network: CDPSession;
  let way: CuttableWay;
  let wayToBroker: CuttableWay;
  let seen: ReturnType<typeof watch>;
  const units: UnitUnderTest[] = [];
  const others: LeaderUnderTest[] = [];
  const sent: Request[] = [];

  const connection = async (
    { latencyMs, bytesPerS } = { latencyMs: 0, bytesPerS: -1 },
    offline = false,
  ): Promise<void> => {
    const throughput = { downloadThroughput: bytesPerS, uploadThroughput: bytesPerS };
    await network.send('Network.emulateNetworkConditions', { offline, latency: latencyMs, ...throughput });
  };
  const job = (unit: string, name: string) => page.locator(`[data-unit=${unit}] [data-job=${name}]`);
  const phase = (unit: string, name: string) => job(unit, name).locator('[data-phase]').first();
  const inPhase = (unit: string, name: string, expected: string) =>
    expect.poll(() => phase(unit, name).getAttribute('data-phase'), patience).toBe(expected);
  const commands = (part: string) =>
    sent.filter((request) => request.method() !== 'GET' && request.url().includes(part)).length;
  const runningOn = async (unit: UnitUnderTest | undefined) =>
    (await unit?.client.listRunningJobs())?.map(({ job_name }) => job_name);

  beforeAll(async () => {
    browser = await openBrowser();
    const brokerAt = await startLeader();
    others.push(brokerAt);
    wayToBroker = await cuttableWayTo(Number(new URL(brokerAt.node.mqttUrl ?? '').port));
    leader = await startLeader({
      configure: { clock: realClock(), wire: wire.clock, brokerUrl: `mqtt://${wayToBroker.address}` },
    });
    await leader.client.createExperiment({ body: { experiment } });
    for (const name of ['rx01', 'rx02']) {
      await leader.client.registerWorker({ body: { reactor_unit: name } });
      units.push(await startUnit({ name, leaderUrl: leader.url, configure: { clock: realClock() } }));
      await leader.client.assignWorker({ params, body: { reactor_unit: name } });
    }
    way = await cuttableWayTo(Number(new URL(units[0]?.url ?? '').port));
    const code = await leader.client.getSharedConfig();
    const body = { code: code.replace('[cluster.addresses]\n', `$&rx01=${way.address}\n`) };
    await leader.client.saveSharedConfig({ body });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
    page.on('request', (request) => sent.push(request));
    network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
  }, 90_000);
  afterAll(async () => {
    await page?.close();
    for (const unit of units) await unit[Symbol.asyncDispose]();
    await way?.[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await wayToBroker?.[Symbol.asyncDispose]();
    for (const other of others) await other[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('slow: the page shows that it loads, an impatient second click starts nothing twice, and Stop is at hand', async () => {
    await connection(slow);
    const opened = page.goto(`${leader.url}/experiments/far%20away/units`, { waitUntil: 'commit' });
    // Long before the programs of the page have arrived.
    await page.locator('[role=status]').first().waitFor(patience);
    expect(await page.locator('[data-unit]').count()).toBe(0);
    await opened;
    const start = page.getByRole('button', { name: 'Start Stirring on rx02' });
    await start.waitFor(patience);
    const stop = page.getByRole('button', { name: 'Stop', exact: true });
    expect(await stop.isEnabled()).toBe(true);
    await expect.poll(() => start.isEnabled(), patience).toBe(true);
    await start.click();
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true });
    await expect.poll(() => submit.isEnabled(), patience).toBe(true);
    await submit.dblclick();
    await page.keyboard.press('Enter');
    await inPhase('rx02', 'stirring', 'on');
    expect(commands('/jobs/run/')).toBe(1);
    expect(await runningOn(units[1])).toContain('stirring');

    await stop.click();
    await page.getByRole('menuitem').last().dblclick();
    await inPhase('rx02', 'stirring', 'off');
    expect(await runningOn(units[1])).not.toContain('stirring');
    await takePicture(page, 'slow');
  }, 60_000);

  it('gone: what is shown is last known within 5 s and a stop can still be ordered; after it, all is current', async () => {
    const all = { reactor_unit: '$broadcast', job: 'stirring', experiment };
    await leader.finished(await leader.client.runWorkerJob({ params: all, body: { options: { target_rpm: 400 } } }));
    await connection();
    await inPhase('rx01', 'stirring', 'on');
    const current = () =>
      page.evaluate<number>(
        `document.querySelectorAll('[data-liveness=online], [data-phase=on], [data-old=false]').length`,
      );
    expect(await current()).toBeGreaterThan(0);
    // What a slow computer needs for drawing is not a wait of the page.
    await page.evaluate(`globalThis.drawnMs = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) drawnMs += duration;
      }).observe({ type: 'longtask' });`);
    await connection(undefined, true);
    const beganMs = performance.now();
    await expect.poll(current, { timeout: 15_000 }).toBe(0);
    const tookMs = performance.now() - beganMs;
    expect(tookMs - (await page.evaluate<number>('drawnMs'))).toBeLessThan(6_000);
    expect(
      await job('rx01', 'stirring')
        .getByRole('button', { name: /^Stop / })
        .isEnabled(),
    ).toBe(true);
    await takePicture(page, 'gone');
    await connection();
    await inPhase('rx01', 'stirring', 'on');
    expect(await current()).toBeGreaterThan(0);
  }, 60_000);

  it('cut to a unit: it alone is named, its values are last known, and what was ordered reaches it on its return', async () => {
    const card = page.locator('[data-unit=rx01]');
    const liveness = (unit: string) => page.locator(`[data-unit=${unit}]`).getAttribute('data-liveness');
    way.cut();
    // No contact after 20 s, offline after a minute: the time of the leader passes at once.
    wire.pass(61_000);
    await expect.poll(async () => page.locator('[data-liveness=offline]').count(), patience).toBeGreaterThan(0);
    await inPhase('rx01', 'stirring', 'lost');
    // It answers all the time: only the clock of the leader has jumped.
    await inPhase('rx02', 'stirring', 'on');
    expect(await card.locator('[data-old=false]').count()).toBe(0);
    expect(await card.getByText(/last known|Offline/i).count()).toBeGreaterThan(0);
    expect(await liveness('rx02')).not.toBe('offline');

    await leader.client.putUnitLabel({ params, body: { unit: 'rx01', label: 'salt' } });
    const shared = await leader.client.getSharedConfig();
    await leader.client.saveSharedConfig({ body: { code: `${shared}\n[storage]\n` } });
    await card.getByText(/will be applied when/).waitFor(patience);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page
      .getByRole('menu')
      .getByText(/rx01|salt/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await job('rx01', 'stirring')
      .getByRole('button', { name: /^Stop / })
      .click();
    await expect
      .poll(() => job('rx01', 'stirring').getByRole('status').getAttribute('data-phase'), patience)
      .toBe('failed');
    expect(await runningOn(units[0])).toContain('stirring');
    await takePicture(page, 'unit-cut');
    await page.setViewportSize(phone);
    await takePicture(page, 'unit-cut-phone');
    await page.setViewportSize(desktop);

    way.join();
    await inPhase('rx01', 'stirring', 'off');
    await expect.poll(() => runningOn(units[0]), patience).not.toContain('stirring');
    await card.getByText(/will be applied when/).waitFor({ state: 'detached', ...patience });
    expect(await page.locator('[data-liveness=offline]').count()).toBe(0);
    expect(seen.foreign).toEqual([]);
  }, 90_000);

  it('cut to the broker: units and pages go on, and the page of the leader says what other programs miss', async () => {
    const broker = async () => {
      await page.goto(`${leader.url}/settings/leader`);
      return page.locator('dl > div', { hasText: 'MQTT broker' }).locator('dd > span').first().textContent();
    };
    expect(await broker()).toBe('Connected');
    wayToBroker.cut();
    await expect.poll(async () => (await leader.client.getLeaderHealth()).broker).toBe('unreachable');
    expect(await broker()).toBe('Cannot be reached');
    await takePicture(page, 'broker-cut');
    await page.goto(`${leader.url}/experiments/far%20away/units`);
    const all = { reactor_unit: '$broadcast', job: 'stirring', experiment };
    await leader.finished(await leader.client.runWorkerJob({ params: all, body: { options: { target_rpm: 400 } } }));
    await inPhase('rx01', 'stirring', 'on');
    await inPhase('rx02', 'stirring', 'on');
    wayToBroker.join();
    // The time until the next attempt passes at once.
    wire.pass(10_000);
    await expect.poll(async () => (await leader.client.getLeaderHealth()).broker).toBe('connected');
    expect(await broker()).toBe('Connected');
  }, 60_000);
});
