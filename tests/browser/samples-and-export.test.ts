import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFindings,
  desktop,
  hasBrowser,
  openBrowser,
  overflow,
  phone,
  takePicture,
  watch,
} from './browser.ts';

const patience = { timeout: 60_000 };
const params = { experiment: 'ramp' };
const hourMs = 3_600_000;

/** The value of a date-time input. */
const localMoment = (ms: number): string => {
  const date = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 19);
};

describe.skipIf(!hasBrowser())('what people write down, and take with them', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  /** A picture that is larger than what is sent. */
  let picture: Buffer;

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader({ configure: { clock: realClock() } });
    await leader.client.createExperiment({ body: params });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params, body: { reactor_unit: 'rx01' } });
    page = await browser.newPage({ viewport: desktop });
    const noise = await page.evaluate<string>(`(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 1200, height: 900 });
      const drawing = canvas.getContext('2d');
      const pixels = drawing.createImageData(1200, 900);
      for (let index = 0; index < pixels.data.length; index += 1) pixels.data[index] = index % 4 === 3 ? 255 : 255 * Math.random();
      drawing.putImageData(pixels, 0, 0);
      return canvas.toDataURL('image/png').split(',')[1];
    })()`);
    picture = Buffer.from(noise, 'base64');
  }, 180_000);
  afterAll(async () => {
    await page?.close();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('a sample with its photo, refused at a time before its unit was there', async () => {
    const { errors } = watch(page, leader.url);
    await page.goto(`${leader.url}/experiments/ramp/timeline`);
    const form = page.getByRole('form', { name: 'New note' });
    await form.getByRole('radio', { name: 'Sample taken' }).check();
    await form.getByRole('textbox', { name: 'Remark' }).fill('HPLC 7');
    await form.getByRole('textbox', { name: 'Volume (mL)' }).fill('0.5');
    await form.getByRole('combobox', { name: 'Unit' }).click();
    await page.getByRole('option', { name: 'rx01' }).click();
    const time = form.getByLabel('(empty: now)');
    await time.fill(localMoment(Date.now() - hourMs));
    const add = form.getByRole('button', { name: 'Add' });
    await add.click();
    const fault = form.getByText(/Experiment 'ramp' began at/);
    await fault.waitFor(patience);
    expect(await time.getAttribute('aria-invalid')).toBe('true');
    expect(await fault.textContent()).not.toMatch(/\dT\d/);
    await takePicture(page, 'sample-refused');
    // The answer of the refused request is an error of the console.
    expect(errors.splice(0)).toHaveLength(1);

    await time.fill('');
    await form.locator('input[type=file]').setInputFiles({ name: 'IMG_1.png', mimeType: 'image/png', buffer: picture });
    await form.getByRole('button', { name: 'IMG_1.png' }).waitFor();
    await add.click();
    const row = page.getByRole('listitem').filter({ hasText: 'HPLC 7' });
    const thumbnail = row.getByRole('button', { name: /^Show the photo: rx01/ });
    await thumbnail.waitFor(patience);
    await expect
      .poll(
        () => thumbnail.locator('img').evaluate((image: { readonly naturalWidth: number }) => image.naturalWidth),
        patience,
      )
      .toBe(1200);
    const [note] = await leader.client.listNotes({ params, query: {} });
    // It was made smaller on the way.
    expect(note?.photo?.content_type).toBe('image/jpeg');
    expect(note?.photo?.bytes).toBeLessThan(picture.length);
    await takePicture(page, 'sample-with-photo');
    await thumbnail.click();
    const dialog = page.getByRole('dialog', { name: /HPLC 7/ });
    await dialog.getByRole('img', { name: /^Photo: / }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'photo');
    await page.keyboard.press('Escape');
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await takePicture(page, 'sample-phone');
    await page.setViewportSize(desktop);

    await row.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Remove the photo' }).click();
    await thumbnail.waitFor({ ...patience, state: 'detached' });
    await row.locator('input[type=file]').setInputFiles({
      name: 'note.png',
      mimeType: 'image/png',
      buffer: Buffer.from('not a picture'),
    });
    await row
      .getByRole('alert')
      .getByText(/JPEG, PNG or WebP/)
      .first()
      .waitFor(patience);
    await row.locator('input[type=file]').setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer: picture });
    await thumbnail.waitFor(patience);
    expect(errors.filter((error) => !error.includes('400'))).toEqual([]);
  }, 180_000);

  it('the log of an earlier time, with a link to it', async () => {
    await page.goto(`${leader.url}/experiments/ramp/timeline`);
    const log = page.getByRole('region', { name: 'Event log' });
    await log.scrollIntoViewIfNeeded();
    const noted = log.getByText(/Sample taken, 0.5 mL/);
    await noted.first().waitFor(patience);
    await log.getByLabel('Time of the log').fill(localMoment(Date.now() - hourMs).slice(0, 16));
    await log.getByRole('button', { name: 'Go to time' }).click();
    await log.getByText('Nothing in the log matches up to this time.').waitFor(patience);
    const address = new URL(page.url());
    expect([address.pathname, address.searchParams.get('logAt')]).toEqual([
      '/experiments/ramp/timeline',
      expect.stringMatching(/^\d{4}-/),
    ]);
    await page.reload();
    await log.getByText('Nothing in the log matches up to this time.').waitFor(patience);
    await takePicture(page, 'log-time');
    await log.getByRole('button', { name: '1 h later' }).click();
    await noted.first().waitFor(patience);
    await log.getByRole('button', { name: 'Newest entries' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.has('logAt'), patience).toBe(false);
    await noted.first().waitFor(patience);
  }, 120_000);

  it('an export states its size before it starts, and has its file beside its button', async () => {
    await page.goto(`${leader.url}/experiments/ramp/data`);
    const size = page.getByRole('region', { name: 'Size of the export' });
    await size.getByText(/^The zip file will have about/).waitFor(patience);
    await size.getByText(/^Event log: \d+ rows, /).waitFor();
    const form = page.locator('form').filter({ has: size });
    await form.getByRole('checkbox', { name: 'Notes', exact: true }).check();
    await size.getByText(/^Notes: 1 row, /).waitFor(patience);
    expect(await accessibilityFindings(page)).toEqual([]);
    await size.scrollIntoViewIfNeeded();
    await takePicture(page, 'export-size');
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await takePicture(page, 'export-size-phone');
    await form.getByRole('button', { name: 'Export', exact: true }).click();
    const file = form.getByRole('link', { name: 'Download the zip file' });
    expect(await file.getAttribute('href', patience)).toMatch(/^\/exports\/./);
  }, 120_000);
});
