import type { Demo } from '@lcs/cluster';
import { type AcceptedTask, createClient, leaderApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { startDemo, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { odYaml } from '../routes/calibration-fixtures.ts';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, phone, takePicture } from './browser.ts';

const experiment = 'yeast-batch-demo';
const patience = { timeout: 60_000 };

/** Cultures that grow, with calibrated pumps and all that measures: what a new user has before the first turbidostat. */
describe.skipIf(!hasBrowser())('starting a turbidostat in the web UI', () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let demo: Demo;
  let page: Page;
  const picture = (name: string): Promise<void> => takePicture(page, `dilution-${name}`);
  const dialog = () => page.getByRole('dialog');
  const row = (unit: string) => page.locator(`[data-unit=${unit}] [data-job=dosing_automation]`);
  const radio = (name: RegExp): Locator => dialog().getByRole('radio', { name });

  beforeAll(async () => {
    folder = await temporaryFolder('dilution');
    demo = await startDemo(folder.path, { units: 2, pastHours: 4 });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: desktop });
    await page.goto(`${demo.url}/experiments/${experiment}/units`);
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    await browser?.close();
    await demo?.stop();
    await folder?.[Symbol.asyncDispose]();
  });

  it('shows each scale with its present value, asks before pumps dilute at once, and starts after the confirmation', async () => {
    await page.getByRole('button', { name: 'Start Dosing on unit1' }).click(patience);
    await radio(/^Turbidostat/).check(patience);
    await dialog()
      .getByText(/Now: unit1 \d/)
      .first()
      .waitFor(patience);
    await radio(/^Normalised OD/).check();
    await dialog().getByRole('textbox', { name: 'Target biomass' }).fill('50');
    const consequence = dialog().getByText(
      /^unit1: Normalised OD now [\d.]+, target 50: dilutes in about .* mL of medium a day/,
    );
    await consequence.waitFor(patience);
    // The field that is typed in stays visible above it.
    const field = await dialog().getByRole('textbox', { name: 'Target biomass' }).boundingBox();
    const covered = await consequence.boundingBox();
    expect((field?.y ?? desktop.height) + (field?.height ?? 0)).toBeLessThanOrEqual(covered?.y ?? 0);
    // Exchanges that are too small for the growth of the culture are named at their field.
    const exchange = dialog().getByRole('textbox', { name: 'Exchange volume' });
    await exchange.fill('0.001');
    await dialog()
      .getByText(/^unit1: growth can outrun the pumps/)
      .waitFor(patience);
    await picture('slow-pumps');
    // What an empty field means is a number with its unit.
    await dialog().getByRole('button', { name: 'More options' }).click();
    for (const label of ['Starting volume', 'Waste tube level'])
      expect(await dialog().locator('.mantine-InputWrapper-root').filter({ hasText: label }).innerText()).toMatch(
        /: [\d.]+ mL\./,
      );
    await picture('more-options');
    await exchange.fill('1');
    await expect.poll(() => dialog().getByText('outrun the pumps').count(), patience).toBe(0);
    await dialog().getByRole('textbox', { name: 'Target biomass' }).fill('0.2');
    await dialog()
      .getByText(/target 0\.2: dilutes at once/)
      .waitFor(patience);
    await picture('scales');
    await dialog().getByRole('button', { name: 'Start', exact: true }).click();
    await dialog()
      .getByText(/the target is 0\.2 × start OD/)
      .waitFor(patience);
    await picture('asked');
    const cancel = await dialog().getByRole('button', { name: 'Cancel' }).boundingBox();
    expect((cancel?.y ?? desktop.height) + (cancel?.height ?? 0)).toBeLessThanOrEqual(desktop.height);
    // The dialog asks; the row behind it reports no failure.
    expect(await row('unit1').locator('[data-phase=failed]').count()).toBe(0);
    expect(await row('unit1').getByText('dosing_automation').count()).toBe(0);
    expect(await row('unit1').getByText('Off', { exact: true }).count()).toBe(1);
    // A changed value needs a new confirmation.
    await dialog().getByRole('textbox', { name: 'Target biomass' }).fill('0.21');
    expect(await dialog().getByRole('button', { name: 'Start and dilute' }).count()).toBe(0);
    await dialog().getByRole('button', { name: 'Start', exact: true }).click();
    await page.setViewportSize(phone);
    await dialog().getByRole('button', { name: 'Start and dilute' }).waitFor(patience);
    await picture('asked-phone');
    await page.setViewportSize(desktop);
    await dialog().getByRole('button', { name: 'Start and dilute' }).click();
    await row('unit1').getByText('On', { exact: true }).waitFor(patience);
    await row('unit1').getByText('0.21 × start OD').waitFor(patience);
    await row('unit1').getByText('Normalised OD').waitFor(patience);
    await picture('running');
  }, 180_000);

  it('has on its tile of Now what it is, does and is to be', async () => {
    const units = page.url();
    await page.goto(demo.url);
    const tile = page.locator('[data-unit=unit1]');
    // The course of the OD with the line of its target.
    await tile.getByText('Target 0.21 × start OD').waitFor(patience);
    await tile
      .locator('svg path[d^=M]')
      .first()
      .waitFor({ ...patience, state: 'attached' });
    await tile.locator('svg line').waitFor({ state: 'attached' });
    await tile.getByText(/^Last dose: [\d.]+ mL medium, .* ago$/).waitFor(patience);
    const values = () => tile.locator('dl').allInnerTexts();
    await expect
      .poll(async () => (await values()).join(' ').replaceAll(/\s+/g, ' '), patience)
      .toMatch(/^OD \d\.\d{3} Growth rate -?\d\.\d{3} h⁻¹ .*Temperature [\d.]+ °C .*Volume [\d.]+ mL/);
    const jobs = await tile.getByRole('list', { name: 'Jobs' }).innerText();
    expect(jobs.split('\n')).toEqual(expect.arrayContaining(['Stirring', 'OD reading', 'Growth rate', 'Dosing']));
    await picture('tile');
    await page.goto(units);
  }, 90_000);

  it('asks again when the target of a running turbidostat is set below the density', async () => {
    const change = async (value: string, question?: string) => {
      await row('unit1')
        .getByRole('button', { name: /^Target biomass .* of unit1/ })
        .click();
      await page.getByRole('textbox', { name: 'Target biomass' }).fill(value);
      if (question !== undefined) await page.getByText(question).waitFor(patience);
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      // It is sent when it was confirmed.
      if (question !== undefined) await page.getByRole('button', { name: 'Change to this target' }).click(patience);
    };
    await change('1000', 'Is it a number of this scale?');
    await row('unit1').getByText('1000 × start OD').waitFor(patience);
    await change('0.3');
    await dialog().getByText('Dilute unit1 now?').waitFor(patience);
    await picture('change');
    await dialog().getByRole('button', { name: 'Keep the old value' }).click();
    await row('unit1').getByText('1000 × start OD').waitFor(patience);
    await change('0.3');
    await dialog().getByRole('button', { name: 'Change and dilute' }).click(patience);
    await row('unit1').getByText('0.3 × start OD').waitFor(patience);
    // An exchange of most of the culture asks, too.
    await row('unit1')
      .getByRole('button', { name: /^Exchange volume .* of unit1/ })
      .click();
    await page.getByRole('textbox', { name: 'Exchange volume' }).fill('14');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog()
      .getByText(/^One exchange of 14 mL removes \d+ %/)
      .waitFor(patience);
    await dialog().getByRole('button', { name: 'Keep the old value' }).click();
  }, 120_000);

  it('writes and reads numbers in the language of the browser', async () => {
    const english = page;
    page = await browser.newPage({ viewport: desktop, locale: 'de-DE' });
    await page.goto(english.url());
    await row('unit1').getByText('0,3 × start OD').waitFor(patience);
    await page
      .getByText(/^\d+,\d{3}$/)
      .first()
      .waitFor(patience);
    await row('unit1')
      .getByRole('button', { name: /^Target biomass 0,3 .* of unit1/ })
      .click();
    const field = page.getByRole('textbox', { name: 'Target biomass' });
    expect(await field.inputValue()).toMatch(/^0,3/);
    // By key: what is half typed stays as it is.
    await field.fill('');
    await field.pressSequentially('0,40');
    expect(await field.inputValue()).toBe('0,40');
    const change = page.getByRole('button', { name: 'Change', exact: true });
    // Pasted: what may be two numbers is refused, and a point is the decimal separator where it can be nothing else.
    const paste = async (text: string): Promise<void> => {
      await field.fill('');
      await page.keyboard.insertText(text);
      expect(await field.inputValue()).toBe(text);
    };
    await paste('1.234');
    await page.getByText('Not a clear number').waitFor();
    expect(await change.isDisabled()).toBe(true);
    await paste('0.405');
    await change.click();
    await dialog().getByRole('button', { name: 'Change and dilute' }).click(patience);
    await row('unit1').getByText('0,405 × start OD').waitFor(patience);
    // A text of the leader, with the numbers that come beside it.
    await page.goto(`${new URL(english.url()).origin}/experiments/${experiment}/timeline`);
    await page
      .getByText(/target biomass 0,405/)
      .first()
      .waitFor(patience);
    // Defaults and limits of settings, too.
    await page.goto(`${new URL(english.url()).origin}/settings/configuration?find=evaporation`);
    await page.getByText(/: 0,02 mL\/h\./).waitFor(patience);
    await picture('settings-de');
    await page.close();
    page = english;
    await row('unit1').getByText('0.405 × start OD').waitFor(patience);
  }, 120_000);

  it('lists the units that would be diluted at once', async () => {
    await row('unit1')
      .getByRole('button', { name: /^Stop Dosing/ })
      .click();
    await row('unit1').getByText('Off', { exact: true }).waitFor(patience);
    await page.getByRole('button', { name: 'All units…' }).click();
    await page.getByRole('menuitem', { name: 'Start Dosing' }).click();
    await radio(/^Turbidostat/).check(patience);
    await dialog()
      .getByText(/Now: unit1 [\d.]+, unit2 [\d.]+/)
      .first()
      .waitFor(patience);
    await radio(/^Normalised OD/).check();
    await dialog().getByRole('textbox', { name: 'Target biomass' }).fill('0.2');
    await dialog().getByRole('button', { name: 'Start', exact: true }).click();
    await dialog()
      .getByText(/^unit2: Normalised OD is/)
      .waitFor(patience);
    await picture('several');
    await dialog().getByRole('button', { name: 'Start and dilute' }).click();
    for (const unit of ['unit1', 'unit2']) await row(unit).getByText('On', { exact: true }).waitFor(patience);
    // One value for both: what it takes on each, and in total.
    await page.getByRole('button', { name: 'All units…' }).click();
    await page.getByRole('menuitem', { name: 'Set a value…' }).click();
    await dialog().getByRole('combobox', { name: 'Value' }).click();
    await page.getByRole('option', { name: 'Dosing: Target biomass' }).click();
    await dialog().getByRole('textbox', { name: 'Target biomass' }).fill('0.1');
    await dialog()
      .getByText(/^unit2: .* mL until the target is reached/)
      .waitFor(patience);
    await dialog()
      .getByText(/^In total about \d+ mL until 2 units/)
      .waitFor(patience);
    await picture('several-values');
    // A double click is one change, and asks.
    let changes = 0;
    page.on('request', (request) => {
      if (request.method() === 'PATCH' && request.url().includes('/jobs/update/')) changes += 1;
    });
    await dialog().getByRole('button', { name: 'Change', exact: true }).dblclick();
    await dialog().getByRole('button', { name: 'Change and dilute' }).waitFor(patience);
    expect(changes).toBe(1);
  }, 120_000);

  it('refuses one target for units that measure on different scales, in the form and in the menus of several units', async () => {
    const client = createClient(leaderApi, { baseUrl: demo.url });
    const clock = realClock();
    const done = async (accepted: AcceptedTask): Promise<void> => {
      const task = await waitForTask(demo.url, accepted, { sleep: (ms) => clock.sleep(ms) });
      expect(task.status).toBe('succeeded');
    };
    const everyUnit = { reactor_unit: '$broadcast', experiment };
    await done(await client.stopWorkerJob({ params: { ...everyUnit, job_name: 'dosing_automation' } }));
    // One unit has a calibration of its OD, the other has none.
    const ofOd = { reactor_unit: 'unit1', device: 'od90' };
    await done(
      await client.createCalibration({ params: ofOd, body: { calibration_data: odYaml, set_as_active: true } }),
    );
    const params = { experiment };
    await client.putUnitLabel({ params, body: { unit: 'unit1', label: 'wild type' } });
    await client.putUnitLabel({ params, body: { unit: 'unit2', label: 'mutant' } });
    await page.close();
    page = await browser.newPage({ viewport: desktop });
    await page.goto(`${demo.url}/experiments/${experiment}/units`);
    const refusal = dialog().getByText(
      'The units measure it on different scales (wild type (unit1): Calibrated OD, mutant (unit2): OD reading): start each unit separately.',
    );
    const expectRefusedForm = async (): Promise<void> => {
      await radio(/^Turbidostat/).check(patience);
      await refusal.waitFor(patience);
      expect(await radio(/^Calibrated OD/).isDisabled()).toBe(true);
      expect(await radio(/^Normalised OD/).isDisabled()).toBe(false);
    };
    await page.getByRole('button', { name: 'All units…' }).click(patience);
    await page.getByRole('menuitem', { name: 'Start Dosing' }).click();
    await expectRefusedForm();
    await picture('different-scales');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    // A running target is refused, too.
    for (const reactor_unit of ['unit1', 'unit2']) {
      const options = { automation_name: 'turbidostat', target_biomass: 1000, exchange_volume_ml: 1 };
      await done(
        await client.runWorkerJob({
          params: { reactor_unit, job: 'dosing_automation', experiment },
          body: { options: { ...options, biomass_signal: 'od' } },
        }),
      );
      await row(reactor_unit).getByText('On', { exact: true }).waitFor(patience);
    }
    const running = dialog().getByText(
      'These units measure the density on different scales (Calibrated OD, OD reading): one target would mean different densities. Select units with the same biomass signal.',
    );
    const expectRefusedValue = async (): Promise<void> => {
      await dialog().getByRole('combobox', { name: 'Value' }).click(patience);
      await page.getByRole('option', { name: 'Dosing: Target biomass' }).click();
      await running.waitFor(patience);
      expect(await dialog().getByRole('textbox', { name: 'Target biomass' }).count()).toBe(0);
      expect(await dialog().getByRole('button', { name: 'Change', exact: true }).count()).toBe(0);
    };
    await page.getByRole('button', { name: 'All units…' }).click();
    await page.getByRole('menuitem', { name: 'Set a value…' }).click();
    await expectRefusedValue();
    await picture('different-scales-value');
    // On units of one scale it can be set.
    await dialog().getByRole('checkbox', { name: 'mutant (unit2)' }).uncheck();
    await dialog().getByRole('textbox', { name: 'Target biomass' }).waitFor();
    expect(await running.count()).toBe(0);
    await page.keyboard.press('Escape');
    // The menus of selected units.
    await page.goto(`${demo.url}/experiments/${experiment}/units?units=table`);
    await page.getByRole('checkbox', { name: 'Select all units' }).check(patience);
    await page.getByRole('button', { name: 'Set a value…' }).click();
    await expectRefusedValue();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Start…' }).click();
    await page.getByRole('menuitem', { name: 'Dosing', exact: true }).click();
    await expectRefusedForm();
    expect(await accessibilityFindings(page)).toEqual([]);
  }, 180_000);
});
