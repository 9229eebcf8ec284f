import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowLoopback, outsideService, raiseUnitOffline } from '../routes/alarm-fixtures.ts';
import {
  accessibilityFindings,
  desktop,
  hasBrowser,
  openBrowser,
  overflow,
  phone,
  stayWithTyped,
  watch,
} from './browser.ts';

describe.skipIf(!hasBrowser())('the page of alarms', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader({ clock: new VirtualClock({ startMs: Date.now() }) });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  });
  afterAll(async () => {
    await page?.close();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  const dialog = () => page.getByRole('dialog');
  const tab = (name: string) => page.getByRole('navigation', { name: 'Alarms' }).getByRole('link', { name }).click();

  it('explains what to do without alarms; a new alarm appears at once, with the number of alarms on every page', async () => {
    await page.goto(leader.url);
    await page.getByRole('link', { name: 'Alarms' }).click();
    await page.getByRole('heading', { name: 'No alarms' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await raiseUnitOffline(leader, 'rx01');
    await page.getByText('rx01 is offline.').waitFor();
    await page.getByRole('link', { name: 'Experiments' }).click();
    await page.getByRole('link', { name: '1 unacknowledged alarm: show' }).click();
    await page.getByRole('heading', { name: 'Unit offline' }).waitFor();
  });

  it('shelves, unshelves and acknowledges it with a comment, and shows what happened', async () => {
    await page.getByRole('button', { name: 'Mute Unit offline, rx01' }).click();
    await dialog().getByRole('button', { name: 'Mute', exact: true }).click();
    await page
      .getByText(/^until /)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Unmute' }).click();
    await page.getByRole('button', { name: 'Acknowledge Unit offline, rx01' }).click();
    await dialog().getByRole('textbox', { name: 'Your name' }).fill('Ada');
    await dialog().getByRole('textbox', { name: 'Comment' }).fill('cable');
    await dialog().getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    await expect
      .poll(() => leader.client.listAlarms())
      .toMatchObject([{ state: 'acknowledged', acknowledged_by: 'Ada', comment: 'cable' }]);
    await page.getByRole('button', { name: 'History' }).click();
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText('Acknowledged by Ada: cable').waitFor();
    expect(await history.getByRole('listitem').count()).toBe(4);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('acknowledges several at once, and finds cleared ones by text and time', async () => {
    for (const unit of ['rx02', 'rx03', 'rx04']) await raiseUnitOffline(leader, unit);
    await page.getByRole('checkbox', { name: 'Select Unit offline, rx02' }).click();
    await page.getByRole('button', { name: 'Acknowledge 1 selected' }).click();
    await page.getByRole('button', { name: 'Acknowledge all 2' }).click();
    await expect
      .poll(async () => (await leader.client.listAlarms()).map(({ state }) => state))
      .toEqual(['acknowledged', 'acknowledged', 'acknowledged', 'acknowledged']);
    await leader.client.removeWorker({ params: { reactor_unit: 'rx03' } });
    await leader.clock.advance(120_000);
    await tab('History');
    await page.getByRole('heading', { name: 'Unit offline' }).waitFor();
    await page.getByRole('textbox', { name: 'Search' }).fill('RX03');
    await page.getByText('rx03').first().waitFor();
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Last 24 hours');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Search' }).fill('50%');
    await page.getByRole('heading', { name: 'No alarm matches' }).waitFor();
  });

  it('changes a rule, shows a fault at its field, and resets it to the default', async () => {
    await tab('Rules');
    const rule = page.locator('[data-rule=temperature_out_of_range]');
    await rule.getByRole('button', { name: 'Change Temperature out of range' }).click();
    const low = rule.getByRole('textbox', { name: 'Lower limit (°C)' });
    await low.fill('60');
    await rule.getByRole('button', { name: 'Save' }).click();
    await rule.getByText('The lower limit must be below the upper one.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await low.fill('20');
    await stayWithTyped(page, low);
    await rule.getByRole('button', { name: 'Save' }).click();
    await rule.getByText('Lower limit: 20 °C').waitFor();
    await rule.getByRole('button', { name: 'Change Temperature out of range' }).click();
    await rule.getByRole('button', { name: 'Reset to the default' }).click();
    await rule.getByText('Lower limit: 5 °C').waitFor();
  });

  it('adds a notification, tests it and sends a test alarm', async () => {
    await using service = await outsideService();
    await allowLoopback(leader.dataFolder);
    await tab('Notifications');
    await page.getByText('Nobody is notified yet.').waitFor();
    await page.getByRole('button', { name: 'Add a notification' }).click();
    await dialog().getByRole('textbox', { name: 'Name' }).fill('lab');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('Enter at least one e-mail address.').waitFor();
    await dialog().getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Webhook' }).click();
    await dialog().getByRole('textbox', { name: 'Address' }).fill(service.url);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Send a test to lab' }).click();
    await page.getByText('The test was delivered').waitFor();
    await page.getByRole('button', { name: 'Send test alarm' }).click();
    await page.getByText('lab: delivered.').waitFor();
    await page.getByText('Recorded on disk.').waitFor();
    expect(service.calls.map(({ body }) => JSON.parse(body).notice)).toEqual(['test', 'drill']);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('fits a phone', async () => {
    await page.setViewportSize(phone);
    for (const name of ['Now', 'History', 'Rules', 'Notifications']) {
      await tab(name);
      await expect.poll(() => overflow(page), { message: name }).toBeLessThanOrEqual(0);
    }
    expect(seen.foreign).toEqual([]);
    // The browser logs the refused requests: a limit and an address.
    expect(seen.errors).toEqual([expect.stringContaining('400'), expect.stringContaining('400')]);
  });
});
