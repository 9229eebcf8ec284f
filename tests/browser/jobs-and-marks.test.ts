import { join } from 'node:path';
import type { LeaderNodeOptions } from '@lcs/cluster';
import type { DistinctCapabilities } from '@lcs/contract';
import { FaultyBuses } from '@lcs/hardware';
import { realClock } from '@lcs/platform';
import {
  type LeaderUnderTest,
  startLeader,
  startUnit,
  type TemporaryFolder,
  temporaryFolder,
  type UnitUnderTest,
} from '@lcs/testkit';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeFiles } from '../routes/plugin-node.ts';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, phone, takePicture, watch } from './browser.ts';

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const experiment = 'marks';
/** A plugin that only one unit has. */
const rocker = `
export default {
  manifest: { name: 'rocker', version: '1.0.0' },
  jobs: [{ name: 'rocker', help: 'Rocks.', start: () => ({}) }],
  descriptors: { jobs: [{ display_name: 'Rocker', job_name: 'rocker', display: true, source: 'rocker', published_settings: [] }] },
};
`;
const patience = { timeout: 30_000 };
const hourMs = 3_600_000;

/** A plugin with a job whose setting has three choices, and a variant of a dosing automation. */
const shaker = `
const modes = ['slow', 'fast', 'wild'];
export default {
  manifest: { name: 'shaker', version: '1.0.0' },
  jobs: [{
    name: 'shaker',
    help: 'Shakes.',
    settings: { mode: { type: 'string', choices: modes } },
    options: { mode: { type: 'string', choices: modes, required: true } },
    start: (context) => {
      context.publish('mode', context.options.mode);
      return {};
    },
  }],
  automations: [{ job: 'dosing_automation', name: 'sip', help: 'Takes sips.', options: { sip_ml: { type: 'float', min: 0, max: 2 } }, start: () => ({}) }],
  descriptors: {
    jobs: [{
      display_name: 'Shaker', job_name: 'shaker', display: true, source: 'shaker', description: 'Shakes the vial.',
      published_settings: [{ key: 'mode', type: 'string', display: true, label: 'Mode' }],
    }],
    automations: { dosing: [{
      display_name: 'Sip', automation_name: 'sip', description: 'Takes sips.',
      fields: [{ key: 'sip_ml', default: 0.5, label: 'Sip', unit: 'mL' }],
    }] },
  },
};
`;

describe.skipIf(!hasBrowser())('units with their jobs, and charts with the marks of readings', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  let write: History['write'];
  /** Units whose own descriptors were requested. */
  const requested: string[] = [];
  const units: UnitUnderTest[] = [];
  const folders: TemporaryFolder[] = [];

  const picture = (name: string): Promise<void> => takePicture(page, `jobs-${name}`);
  const withPlugins = async (name: string, files: Readonly<Record<string, string>>): Promise<string> => {
    const folder = await temporaryFolder(name);
    folders.push(folder);
    await placeFiles(join(folder.path, 'plugins'), files);
    return folder.path;
  };
  const row = (unit: string, job: string) => page.locator(`[data-unit=${unit}] [data-job=${job}]`);
  const dialog = () => page.getByRole('dialog');
  const openTab = (name: string) =>
    page.getByRole('navigation', { name: 'Parts of the experiment' }).getByRole('link', { name }).click();
  const openForm = (title: string, unit: string) =>
    page.getByRole('button', { name: `Start ${title} on ${unit}` }).click();

  beforeAll(async () => {
    browser = await openBrowser();
    const clock = realClock();
    leader = await startLeader({
      dataFolder: await withPlugins('leader', { 'shaker.js': shaker }),
      configure: {
        clock,
        extend: ({ history }) => {
          write = history.write;
          return [];
        },
      },
    });
    await leader.client.createExperiment({ body: { experiment } });
    const start = async (name: string, configure: object, dataFolder?: string): Promise<void> => {
      await leader.client.registerWorker({ body: { reactor_unit: name } });
      const folder = dataFolder === undefined ? {} : { dataFolder };
      units.push(await startUnit({ name, leaderUrl: leader.url, ...folder, configure: { clock, ...configure } }));
      await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit: name } });
    };
    const between = (board: ConstructorParameters<typeof FaultyBuses>[0]): FaultyBuses => {
      const buses = new FaultyBuses(board);
      buses.set('i2c 0x2c', { kind: 'absent' });
      return buses;
    };
    await start('rx01', {}, await withPlugins('unit', { 'shaker.js': shaker, 'rocker.js': rocker }));
    await start('rx02', { board: { kind: 'here', seed: 1, between } });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
    page.on('request', (request) => {
      const [, unit] = /workers\/([^/]+)\/jobs\/descriptors/.exec(request.url()) ?? [];
      if (unit !== undefined) requested.push(unit);
    });
    await page.goto(`${leader.url}/experiments/${experiment}/units`);
  }, 90_000);
  afterAll(async () => {
    await page?.close();
    for (const unit of units) await unit[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    for (const folder of folders) await folder[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('disables a job whose hardware is missing, and shows what is missing', async () => {
    await row('rx02', 'od_reading').getByText('Missing: the driver of the LEDs').waitFor(patience);
    const start = (unit: string) => page.getByRole('button', { name: `Start OD reading on ${unit}` });
    await expect.poll(() => start('rx02').isDisabled()).toBe(true);
    expect(await start('rx01').isEnabled()).toBe(true);
    expect(await row('rx02', 'stirring').getAttribute('data-missing')).toBeNull();
    // Its plugin is on the other unit only.
    await row('rx02', 'shaker').getByText('does not know Shaker').waitFor(patience);
    // That of one unit alone is described by that unit.
    await row('rx01', 'rocker').getByText('Rocker').waitFor(patience);
    expect(requested).toEqual(['rx01']);
    expect(await accessibilityFindings(page)).toEqual([]);
    await picture('missing');
  }, 60_000);

  it('starts a job of a plugin with a selected option, and changes the running job', async () => {
    await openForm('Shaker', 'rx01');
    await dialog().getByText('From the plugin shaker.').waitFor();
    await dialog().getByRole('button', { name: 'Start', exact: true }).click();
    await dialog().getByText('A value is needed.').waitFor();
    await dialog().getByRole('combobox', { name: 'Mode' }).selectOption('fast');
    await picture('choice');
    await dialog().getByRole('button', { name: 'Start', exact: true }).click();
    await row('rx01', 'shaker').getByText('On', { exact: true }).waitFor(patience);
    await dialog().waitFor({ state: 'detached' });
    await row('rx01', 'shaker').getByRole('button', { name: 'Mode fast of rx01: change' }).click();
    await page.getByRole('combobox', { name: 'Mode' }).selectOption('slow');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await row('rx01', 'shaker')
      .getByRole('button', { name: 'Mode slow of rx01: change', disabled: false })
      .waitFor(patience);
  }, 60_000);

  it('keeps the form of a refused start, with the error, its cause and its remedy', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const lastRun = { reactor_unit: 'rx01', job_name: 'dosing_automation', automation_name: 'chemostat' };
    const answerLater = async (route: Route): Promise<void> => {
      asked.resolve();
      await answered.promise;
      const response = await route.fetch();
      const json: DistinctCapabilities = await response.json();
      const ended_at = '2026-01-01T00:00:00.000Z';
      const last_used = [...json.last_used, { ...lastRun, settings: { exchange_volume_ml: 3 }, ended_at }];
      await route.fulfill({ response, json: { ...json, last_used } });
    };
    await page.route('**/api/capabilities', answerLater, { times: 1 });
    await openForm('Dosing', 'rx01');
    await asked.promise;
    // Until the last values are there, nothing can be started: they would change the form under the person.
    expect(await dialog().getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
    answered.resolve();
    await expect
      .poll(() =>
        dialog()
          .getByRole('radio', { name: /^Chemostat/ })
          .isChecked(),
      )
      .toBe(true);
    await dialog().getByRole('radio', { name: 'Sip' }).click();
    await expect.poll(() => dialog().getByRole('textbox', { name: 'Sip' }).inputValue()).toBe('0.5');
    await dialog().getByRole('radio', { name: 'Turbidostat' }).click();
    // The scale is chosen each time: there is no usual one.
    const signal = dialog().getByRole('radiogroup', { name: 'Biomass signal' });
    expect(await signal.getByRole('radio', { checked: true }).count()).toBe(0);
    await signal.getByText('Now: rx01 no reading.').first().waitFor(patience);
    await dialog().getByRole('textbox', { name: 'Exchange volume' }).fill('500');
    await dialog().getByRole('button', { name: 'Start', exact: true }).click();
    await dialog().getByText('At most 100 mL.').waitFor();
    await dialog().getByText('A value is needed.').waitFor();
    await dialog().getByText('Choose one: it is the scale of the target.').waitFor();
    await dialog().getByRole('textbox', { name: 'Exchange volume' }).fill('1');
    await dialog().getByRole('textbox', { name: 'Target biomass' }).fill('0.5');
    await signal.getByRole('radio', { name: /Normalised OD/ }).check();
    expect(await dialog().getByRole('textbox', { name: 'Target biomass' }).inputValue()).toBe('0.5');
    await picture('scale');
    await dialog().getByRole('button', { name: 'Start', exact: true }).click();
    // Without a reading of the density a person must confirm.
    await dialog().getByText('There is no current reading of the biomass signal (Normalised OD)').waitFor(patience);
    await picture('confirm');
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Start and dilute' }).click();
    const alert = dialog().getByRole('alert');
    await alert.getByText('Dosing was not started: no pump has run.').waitFor(patience);
    await alert.getByText('The model of this unit is not known, so no pump may run.').waitFor();
    await alert.getByText("Choose the unit's model in the inventory").waitFor();
    await picture('refused');
    expect(await accessibilityFindings(page)).toEqual([]);
    // The message is of the values that were sent: it goes with them, and the form stays.
    await dialog().getByRole('textbox', { name: 'Target biomass' }).fill('0.4');
    await alert.waitFor({ state: 'detached' });
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
  }, 60_000);

  it('marks flagged readings on charts with a legend, and shows the standard deviation of growth rates', async () => {
    const nowMs = Date.now();
    const uid = String(leader.storedRows('experiments')[0]?.uid);
    const line = (source: string, channel: string | null, isDerived: boolean) => ({
      experimentUid: uid,
      unit: 'rx01',
      source,
      channel,
      angle: channel === null ? null : 90,
      derivation: isDerived ? { key: 'growth', name: 'growth_filter', version: '1', parameters: {} } : null,
    });
    const offMs = { from: nowMs - hourMs + 1_000_000, to: nowMs - hourMs + 1_600_000 };
    const readings = Array.from({ length: 360 }, (_, index) => {
      const at = nowMs - hourMs + 10_000 * index;
      if (at > offMs.from && at < offMs.to) return [];
      const isOut = index >= 200 && index < 240;
      return [
        { series: 0, at, value: (isOut ? 0.01 : 0.1) + 0.0001 * index, ...(isOut && { flags: 1024 }) },
        { series: 1, at, value: 0.2 + 0.02 * Math.sin(index / 40) },
        { series: 2, at, value: index < 60 ? 0.04 : 0.015 },
        { series: 3, at, value: 30, ...(index === 359 && { flags: 8192 }) },
      ];
    }).flat();
    await write({
      series: [
        line('od', '2', false),
        line('growth_rate', null, true),
        line('growth_rate_sd', null, true),
        line('temperature', null, false),
      ],
      readings,
      nowMs,
    });
    await leader.editStore((database) => {
      database.exec(`update assignment_history set assigned_at = ${nowMs - 2 * hourMs} where reactor_unit = 'rx01'`);
      const insertEvent = database.prepare(
        `insert into events (experiment_uid, reactor_unit, at, name, data, machine_id, boot, mono)
        values ('$experiment', 'rx01', ?, ?, ?, 'another run', 9, ?)`,
      );
      const start = { version: '1', boot: 9, clean: false, last_record_at: offMs.from };
      insertEvent.run(offMs.to, 'node_started', JSON.stringify(start), 1);
      const jobs = { resumed: ['od_reading'], held: ['dosing_automation'], off: [] };
      insertEvent.run(offMs.to + 5_000, 'jobs_resumed', JSON.stringify(jobs), 2);
    });
    await page.goto(`${leader.url}/experiments/${experiment}/units?window=4h`);
    const card = page.locator('[data-unit="rx01"]').first();
    await card.getByText('Sensor doubtful').waitFor(patience);
    await openTab('Overview');
    const marks = page.getByRole('list', { name: 'Marks on OD (AU)', exact: true });
    await marks.scrollIntoViewIfNeeded(patience);
    await marks.getByText('rx01').waitFor(patience);
    expect(await marks.getByRole('listitem').allInnerTexts()).toEqual([expect.stringMatching(/^Vial out \(rx01\): /)]);
    await page.getByText('shaded: ±2 SD').first().waitFor(patience);
    const chart = page.getByRole('slider', { name: /^OD \(AU\)\./ });
    await chart.focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowLeft');
        return chart.getAttribute('aria-valuetext');
      }, patience)
      .toContain('Vial out');
    // Why the line breaks: under the chart, where it is pointed at, and in the list below.
    const breaks = page.getByRole('list', { name: 'Breaks on OD (AU)', exact: true });
    expect(await breaks.getByRole('listitem').allInnerTexts()).toEqual([
      'Off (rx01): power failed or the program crashed, and nothing was measured.',
    ]);
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowLeft');
        return chart.getAttribute('aria-valuetext');
      }, patience)
      .toContain('rx01 off power or crash');
    await picture('marks');
    // The mark under the pointer opens its entry.
    await page.keyboard.press('Enter');
    const list = page.getByRole('region', { name: 'Timeline' });
    const explanation = list.getByText(
      'rx01 was off for 10 min 0 s. It had not been stopped: its power failed, or its program crashed. Afterwards OD reading went on; dosing waits for a person.',
    );
    await explanation.waitFor(patience);
    expect(await list.locator('[data-chosen]').innerText(patience)).toContain('rx01 was off');
    expect(await accessibilityFindings(page)).toEqual([]);
    await picture('interruptions');
    await page.setViewportSize(phone);
    await page.emulateMedia({ colorScheme: 'dark' });
    await explanation.waitFor(patience);
    await explanation.scrollIntoViewIfNeeded();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
    expect(await accessibilityFindings(page)).toEqual([]);
    await picture('interruptions-phone');
    await page.setViewportSize(desktop);
    await page.emulateMedia({ colorScheme: null });
    await openTab('Overview');
    await page.getByRole('slider', { name: /^Growth rate \(h⁻¹\)\./ }).scrollIntoViewIfNeeded();
    await picture('band');
    await openTab('Units');
  }, 60_000);

  it('shows the actuations of a unit with their reasons', async () => {
    const params = { reactor_unit: 'rx01', job: 'stirring', experiment };
    await leader.finished(await leader.client.runWorkerJob({ params, body: { options: { target_rpm: 400 } } }));
    await page.getByRole('button', { name: 'Actions for rx01' }).click();
    await page.getByRole('menuitem', { name: 'Why? – pump, heater and light history…' }).click();
    const list = dialog().getByRole('list', { name: 'History of rx01' });
    await list.getByText('Stirrer', { exact: true }).first().waitFor(patience);
    await list
      .getByText(/^Set by hand/)
      .first()
      .waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await picture('why');
    await dialog().getByRole('combobox', { name: 'Output' }).click();
    await page.getByRole('option', { name: 'Heater' }).click();
    await dialog().getByText('No actuations yet.').waitFor(patience);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  }, 60_000);

  it('starts a job on all units, and shows the refusals with their reasons', async () => {
    await page.getByRole('button', { name: 'All units…' }).click();
    await page.getByRole('menuitem', { name: 'Start OD reading' }).click();
    await dialog().getByText('Not on rx02: Missing: the driver of the LEDs').waitFor();
    await dialog().getByRole('button', { name: 'Start', exact: true }).click();
    await dialog().getByRole('alert').getByText('rx02: OD reading cannot run on this unit now.').waitFor(patience);
    await row('rx01', 'od_reading').getByText('On', { exact: true }).waitFor(patience);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(seen.foreign).toEqual([]);
    expect(seen.errors).toEqual([]);
  }, 60_000);
});
