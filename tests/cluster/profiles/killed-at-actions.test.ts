import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, isObject, leaderApi, nodeApi } from '@lcs/contract';
import { startLeaderProcess, startToyUnit, temporaryFolder, type UnitAnswer, type UnitRequest } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';
import { experiment, profileOf } from './profile-fixture.ts';

/** Actions after each of which the leader is killed: `LCS_PROFILE_KILLS=20` is the long form. */
const kills = Number(process.env.LCS_PROFILE_KILLS ?? 2);
const iterations = kills + 2;
const limitMs = 20_000;

/** A unit with one value, which carries out a command of one key once, as real ones do. */
class Counter {
  readonly values: number[] = [0];
  readonly #answers = new Map<string, UnitAnswer>();
  /** Called after a change, before it is answered: the leader has not recorded it. */
  onChange: () => Promise<void> = async () => {};

  readonly answer = async ({ method, path, headers, body }: UnitRequest): Promise<UnitAnswer | undefined> => {
    if (!path.startsWith('/unit_api/jobs/settings/job_name/')) return undefined;
    const settings = { target_rpm: this.values.at(-1) ?? 0 };
    if (method === 'GET') return { status: 200, body: { settings, job_id: 1 } };
    const key = String(headers['idempotency-key']);
    const wanted = isObject(body) && isObject(body.settings) ? body.settings.target_rpm : undefined;
    const answer = this.#answers.get(key) ?? { status: 202, body: { status: 'accepted', settings: {} } };
    if (!this.#answers.has(key)) {
      this.#answers.set(key, answer);
      this.values.push(Number(wanted));
      await this.onChange();
    }
    return answer;
  };
}

it('a leader that is killed at its actions carries out each of them once, with the value of its expression', async () => {
  await using folder = await temporaryFolder('killed-at');
  const counter = new Counter();
  await using unit = await startToyUnit('rx01', { answer: counter.answer });
  let starting = startLeaderProcess({ dataFolder: folder.path });
  const { url: baseUrl } = await starting;
  let killing = Promise.withResolvers<void>();
  counter.onChange = async () => {
    if (counter.values.length - 1 > kills) return;
    await (await starting).kill('SIGKILL');
    killing.resolve();
  };
  const client = createClient({ ...leaderApi, ...nodeApi }, { baseUrl });
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit: 'rx01' } });
  const config = await client.getSharedConfig();
  const code = config.replace('[cluster.addresses]\n', `$&rx01=${unit.address}\n`);
  await client.saveSharedConfig({ body: { code } });
  await client.assignWorker({ params: { experiment }, body: { reactor_unit: 'rx01' } });
  const change = `{type: update, t: 0, options: {target_rpm: "\${{ ::stirring:target_rpm + 1 }}"}}`;
  const loop = `{type: repeat, t: 0, every: 1s, max_time: ${iterations}s, actions: [${change}]}`;
  await writeFile(join(folder.path, 'experiment_profiles', 'p.yaml'), profileOf([loop]));
  await client.runJob({ params: { job: 'experiment_profile' }, body: { args: ['execute', 'p.yaml', experiment] } });
  for (let killed = 0; killed < kills; killed += 1) {
    await killing.promise;
    killing = Promise.withResolvers<void>();
    starting = startLeaderProcess({ dataFolder: folder.path });
    await starting;
  }
  const leader = await starting;
  try {
    const after = createClient({ ...leaderApi, ...nodeApi }, { baseUrl: leader.url });
    await vi.waitFor(
      async () =>
        expect(await after.listRecentProfileRuns({ params: { experiment } })).toMatchObject([{ outcome: 'finished' }]),
      limitMs,
    );
    expect(counter.values).toEqual(Array.from({ length: iterations + 1 }, (_, index) => index));
  } finally {
    await leader.kill('SIGTERM');
  }
}, 240_000);
