import { isObject } from '@lcs/contract';
import { profileLibrary } from '@lcs/domain';
import { addToyUnit, type LeaderUnderTest, startLeader, type ToyUnit, type UnitRequest } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { assign, experiment, profileLog, putProfile, runProfile } from './profile-fixture.ts';

const hour = 60 * 60_000;
const second = 1_000;
const params = { experiment };

/** The leader does more than profiles in each virtual hour: the runs of this file are so much faster than the profiles. */
const speed = 60;
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const faster = (text: string): string =>
  text.replace(
    /\b(t|every|max_time): (\d+)([smhd])\b/g,
    (_, key: string, digits: string, unit: string) =>
      `${key}: ${((Number(digits) * (unitSeconds[unit] ?? 1)) / speed).toFixed(6)}s`,
  );

type Published = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const jobIn = (path: string): string => /job_name\/([^/?]+)/.exec(path)?.[1] ?? '';

/** The jobs of a fake unit: they publish what they were started with and set to, and what a test adds. */
class ToyJobs {
  published: Published = {};

  add(added: Published): void {
    const jobs = Object.entries(added).map(
      ([job, settings]) => [job, { ...this.published[job], ...settings }] as const,
    );
    this.published = { ...this.published, ...Object.fromEntries(jobs) };
  }

  readonly answer = ({ method, path, body }: UnitRequest) => {
    if (path.startsWith('/unit_api/bioreactor/'))
      return {
        status: 200,
        body: {
          values: {
            ...{ current_volume_ml: 14, efflux_tube_volume_ml: 14, alt_media_fraction: 0.25 },
            ...{ cumulative_media_added_ml: 0, cumulative_alt_media_added_ml: 0, cumulative_waste_removed_ml: 0 },
          },
        },
      };
    const settings = this.published[jobIn(path)];
    if (method === 'GET' && path.startsWith('/unit_api/jobs/settings/') && settings !== undefined)
      return { status: 200, body: { settings, job_id: 1 } };
    if (method === 'PATCH' || path.includes('/run/')) this.add({ [jobIn(path)]: valuesOf(body) });
    return undefined;
  };
}

function valuesOf(body: unknown): Readonly<Record<string, unknown>> {
  const values = isObject(body) ? (body.options ?? body.settings) : undefined;
  return isObject(values) ? values : {};
}

/** The commands that a unit has received, in order: `start stirring {…}`, `update …`, `stop …`. */
const commands = ({ requests }: ToyUnit): readonly string[] =>
  requests.flatMap(({ method, path, body }) => {
    if (path.startsWith('/unit_api/jobs/stop')) return [`stop ${isObject(body) ? String(body.job_name) : ''}`];
    if (!/^\/unit_api\/jobs\/(run|settings)/.test(path) || method === 'GET') return [];
    return [`${method === 'PATCH' ? 'update' : 'start'} ${jobIn(path)} ${JSON.stringify(valuesOf(body))}`];
  });

/** A run of a profile of the library on fake units. */
class LibraryRun implements AsyncDisposable {
  readonly leader: LeaderUnderTest;
  readonly units: readonly ToyUnit[];
  readonly jobs: ToyJobs;
  #seen = 0;

  private constructor(leader: LeaderUnderTest, units: readonly ToyUnit[], jobs: ToyJobs) {
    this.leader = leader;
    this.units = units;
    this.jobs = jobs;
  }

  static async begin(filename: string, count = 1): Promise<LibraryRun> {
    const leader = await startLeader();
    const jobs = new ToyJobs();
    await leader.client.createExperiment({ body: { experiment } });
    const names = Array.from({ length: count }, (_, index) => `unit${index + 1}`);
    const units: ToyUnit[] = [];
    for (const name of names) units.push(await addToyUnit(leader, name, { answer: jobs.answer }));
    await assign(leader, names);
    const text = profileLibrary.find((each) => each.filename === filename)?.text ?? '';
    await putProfile(leader, filename, faster(text));
    await runProfile(leader, filename);
    return new LibraryRun(leader, units, jobs);
  }

  /** The commands to the first unit within the next hours. */
  async after(hours: number): Promise<readonly string[]> {
    await this.leader.clock.advance((hours * hour) / speed + second);
    const [unit] = this.units;
    const all = unit === undefined ? [] : commands(unit);
    const fresh = all.slice(this.#seen);
    this.#seen = all.length;
    return fresh;
  }

  /** Its log, once it is finished. */
  async finished(): Promise<readonly string[]> {
    const log = profileLog(this.leader);
    expect(log.filter((line) => line.startsWith('ERROR'))).toEqual([]);
    expect(await this.leader.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'finished' }]);
    return log;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leader[Symbol.asyncDispose]();
    for (const unit of this.units) await unit[Symbol.asyncDispose]();
  }
}

const growth = (rate: number, od: number) => ({
  growth_rate_calculating: {
    growth_rate: JSON.stringify({ growth_rate: rate }),
    od_filtered: JSON.stringify({ od_filtered: od }),
  },
});

/** The common beginning of the profiles. */
const begins = (celsius: number, rpm = 500) => [
  `start stirring {"target_rpm":${rpm}}`,
  `start temperature_automation {"automation_name":"thermostat","target_temperature":${celsius}}`,
  'start od_reading {}',
  'start growth_rate_calculating {}',
];

/** The values that the commands of a job contain under this name, in order. */
const valuesIn = (sent: readonly string[], name: string): readonly number[] =>
  sent.flatMap((command) => {
    const [, value] = new RegExp(`"${name}":([0-9.]+)`).exec(command) ?? [];
    return value === undefined ? [] : [Number(value)];
  });

it('growth curve: reports growth and its end, and stops all jobs', async () => {
  await using run = await LibraryRun.begin('growth-curve.yaml');
  run.jobs.add(growth(0.01, 1));
  expect(await run.after(4)).toEqual(begins(37));
  run.jobs.add(growth(0.4, 1.5));
  await run.after(3);
  run.jobs.add(growth(0.01, 9));
  expect(await run.after(40)).toEqual([]);
  expect(await run.after(2)).toEqual([
    'stop stirring',
    'stop temperature_automation',
    'stop od_reading',
    'stop growth_rate_calculating',
  ]);
  const log = await run.finished();
  expect(log).toContain('NOTICE unit1 unit1 grows.');
  expect(log).toContain('NOTICE unit1 unit1 is stationary at 9 times its first density.');
}, 30_000);

it('chemostat series: three dilution rates', async () => {
  await using run = await LibraryRun.begin('chemostat-series.yaml');
  expect(await run.after(11)).toEqual(begins(30));
  const [start, ...others] = await run.after(1);
  expect(start).toMatch(/^start dosing_automation .*"chemostat","exchange_volume_ml":0.5,"duration":21.428/);
  expect(others).toEqual([]);
  expect(valuesIn(await run.after(50), 'duration')).toEqual([expect.closeTo(10.714, 3)]);
  expect(valuesIn(await run.after(25), 'duration')).toEqual([expect.closeTo(7.143, 3)]);
  expect(await run.after(17)).toEqual(['stop dosing_automation']);
  expect(await run.finished()).toContain('NOTICE unit1 unit1: dilution rate 0.3 per hour.');
}, 30_000);

it('turbidostat ramp: raises the target to the top and no further', async () => {
  await using run = await LibraryRun.begin('turbidostat-ramp.yaml');
  expect(await run.after(1)).toEqual([
    ...begins(30),
    'start dosing_automation {"automation_name":"turbidostat","target_biomass":4,"biomass_signal":"normalized_od","exchange_volume_ml":1}',
  ]);
  expect(valuesIn(await run.after(48), 'target_biomass')).toEqual([5, 6, 7, 8]);
  expect(await run.after(24)).toEqual(['stop dosing_automation']);
  expect(await run.finished()).toContain('NOTICE unit1 unit1: the target is 8.');
}, 30_000);

it('morbidostat: doses for ten days and reports the share of the alternative medium', async () => {
  await using run = await LibraryRun.begin('morbidostat.yaml');
  expect(await run.after(2)).toEqual([
    ...begins(37),
    'start dosing_automation {"automation_name":"pid_morbidostat","target_normalized_od":5,"target_growth_rate":0.1,"duration":60}',
  ]);
  expect(await run.after(236)).toEqual([]);
  expect(await run.after(2)).toEqual(['stop dosing_automation']);
  const reports = (await run.finished()).filter((line) => line.includes('medium is 0.25.'));
  expect(reports).toHaveLength(9);
}, 30_000);

it('temperature ramp: heats to the last temperature, then returns to the first', async () => {
  await using run = await LibraryRun.begin('temperature-ramp.yaml');
  expect([...(await run.after(1))].sort()).toEqual([...begins(28)].sort());
  run.jobs.add({ ...growth(0.3, 2), temperature_automation: { temperature: '{"temperature": 29.9}' } });
  expect(valuesIn(await run.after(24), 'target_temperature')).toEqual([30, 32, 34, 36, 38, 40, 42]);
  expect(valuesIn(await run.after(1), 'target_temperature')).toEqual([28]);
  const reports = (await run.finished()).filter((line) => line.includes('at 29.9 C grows by 0.3 per hour'));
  expect(reports).toHaveLength(7);
}, 30_000);

it('light cycle: lights a culture for a week', async () => {
  await using run = await LibraryRun.begin('light-cycle.yaml');
  expect(await run.after(1)).toEqual([
    ...begins(28, 300).map((command) => command.replace('od_reading {}', 'od_reading {"interval":60}')),
    'start led_automation {"automation_name":"light_dark_cycle","light_intensity":20,"light_duration_minutes":960,"dark_duration_minutes":480}',
  ]);
  expect(await run.after(166)).toEqual([]);
  expect(await run.after(1)).toEqual(['stop led_automation']);
  await run.finished();
}, 30_000);

it('fed batch: feeds once the culture has grown and slows down', async () => {
  await using run = await LibraryRun.begin('fed-batch.yaml');
  run.jobs.add(growth(0.01, 1));
  expect(await run.after(6)).toEqual(begins(30));
  run.jobs.add(growth(0.4, 4));
  expect(await run.after(6)).toEqual([]);
  run.jobs.add(growth(0.05, 8));
  expect(await run.after(2)).toEqual([
    'start dosing_automation {"automation_name":"fed_batch","dosing_volume_ml":0.5,"duration":60,"current_volume_ml":10}',
  ]);
  expect(await run.after(8)).toEqual(['stop dosing_automation']);
  expect(await run.finished()).toContain('NOTICE unit1 unit1: feeding begins.');
}, 30_000);

it('medium switch: circulates the alternative medium after the density was reached, once', async () => {
  await using run = await LibraryRun.begin('medium-switch.yaml');
  run.jobs.add(growth(0.4, 3.9));
  expect(await run.after(10)).toEqual(begins(30));
  run.jobs.add(growth(0.4, 4));
  expect(await run.after(10)).toEqual(['start circulate_alt_media {"duration":180}']);
  expect(await run.finished()).toContain('NOTICE unit1 unit1: the share of the alternative medium is 0.25.');
}, 30_000);

it('replicate design: labels the units and starts each with its treatment', async () => {
  await using run = await LibraryRun.begin('replicate-design.yaml', 4);
  expect(await run.leader.client.getUnitLabels({ params })).toEqual({
    ...{ unit1: 'control 1', unit2: 'treated 1', unit3: 'treated 2', unit4: 'control 2' },
  });
  await run.after(1);
  for (const [index, celsius] of [30, 37, 37, 30].entries()) {
    const [, heating] = begins(celsius);
    const sent = commands(run.units[index] ?? expect.fail());
    expect(sent).toHaveLength(4);
    expect(sent).toContain(heating);
  }
  await run.finished();
}, 30_000);

it('sampling reminder: reminds eight times, and doses nothing meanwhile', async () => {
  await using run = await LibraryRun.begin('sampling-reminder.yaml');
  expect(await run.after(11)).toEqual([
    ...begins(30),
    'start dosing_automation {"automation_name":"chemostat","exchange_volume_ml":0.5,"duration":20}',
  ]);
  const [paused, resumed] = ['sleeping', 'ready'].map((state) => `update dosing_automation {"$state":"${state}"}`);
  expect(await run.after(1)).toEqual([paused]);
  expect(await run.after(1)).toEqual([resumed]);
  expect(await run.after(106)).toEqual(Array.from({ length: 7 }, () => [paused, resumed]).flat());
  expect(await run.after(2)).toEqual(['stop dosing_automation']);
  const reminder = 'WARNING unit1 Take a sample of 0.5 mL from unit1. Dosing resumes in 15 minutes.';
  expect((await run.finished()).filter((line) => line === reminder)).toHaveLength(8);
}, 30_000);
