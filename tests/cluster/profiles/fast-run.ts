import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@lcs/contract';
import {
  addToyUnit,
  type LeaderUnderTest,
  startLeader,
  type ToyUnit,
  temporaryFolder,
  type UnitRequest,
} from '@lcs/testkit';
import { expect } from 'vitest';
import { observe } from '../../observe.ts';
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
            current_volume_ml: 14,
            efflux_tube_volume_ml: 14,
            alt_media_fraction: 0.25,
            cumulative_media_added_ml: 0,
            cumulative_alt_media_added_ml: 0,
            cumulative_waste_removed_ml: 0,
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
export const commands = ({ requests }: ToyUnit): readonly string[] =>
  requests.flatMap(({ method, path, body }) => {
    if (path.startsWith('/unit_api/jobs/stop')) return [`stop ${isObject(body) ? String(body.job_name) : ''}`];
    if (!/^\/unit_api\/jobs\/(run|settings)/.test(path) || method === 'GET') return [];
    return [`${method === 'PATCH' ? 'update' : 'start'} ${jobIn(path)} ${JSON.stringify(valuesOf(body))}`];
  });

interface FastRunOptions {
  /** Units. */
  readonly count?: number;
  /** A plugin of the leader. */
  readonly plugin?: { readonly name: string; readonly version: string };
}

/** A run of a profile on fake units, faster than it is written. */
export class FastRun implements AsyncDisposable {
  readonly leader: LeaderUnderTest;
  readonly units: readonly ToyUnit[];
  readonly jobs: ToyJobs;
  readonly #folder: AsyncDisposable;
  #seen = 0;

  private constructor(leader: LeaderUnderTest, units: readonly ToyUnit[], jobs: ToyJobs, folder: AsyncDisposable) {
    this.#folder = folder;
    this.leader = leader;
    this.units = units;
    this.jobs = jobs;
  }

  static async begin(text: string, { count = 1, plugin }: FastRunOptions = {}): Promise<FastRun> {
    const folder = await temporaryFolder('profiles');
    if (plugin !== undefined) {
      await mkdir(join(folder.path, 'plugins'), { recursive: true });
      const manifest = JSON.stringify({ ...plugin, leader_only: true });
      await writeFile(join(folder.path, 'plugins', 'plugin.js'), `export default { manifest: ${manifest} };`);
    }
    const leader = await startLeader({ dataFolder: folder.path, observe });
    const jobs = new ToyJobs();
    await leader.client.createExperiment({ body: { experiment } });
    const names = Array.from({ length: count }, (_, index) => `unit${index + 1}`);
    const units: ToyUnit[] = [];
    for (const name of names) units.push(await addToyUnit(leader, name, { answer: jobs.answer }));
    await assign(leader, names);
    await putProfile(leader, 'p.yaml', faster(text));
    // A plugin is loaded by a process of its own, for which the start of the leader does not wait.
    const working = async () => {
      const plugins = await leader.client.listInstalledPlugins();
      return plugins.filter(({ error }) => error === undefined).map(({ name }) => name);
    };
    if (plugin !== undefined) await expect.poll(working, { timeout: 10_000 }).toContain(plugin.name);
    await runProfile(leader, 'p.yaml');
    return new FastRun(leader, units, jobs, folder);
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
    await this.#folder[Symbol.asyncDispose]();
  }
}

export const growth = (rate: number, od: number) => ({
  growth_rate_calculating: {
    growth_rate: JSON.stringify({ growth_rate: rate }),
    od_filtered: JSON.stringify({ od_filtered: od }),
  },
});

/** The values that the commands of a job contain under this name, in order. */
export const valuesIn = (sent: readonly string[], name: string): readonly number[] =>
  sent.flatMap((command) => {
    const [, value] = new RegExp(`"${name}":([0-9.]+)`).exec(command) ?? [];
    return value === undefined ? [] : [Number(value)];
  });
