import { addToyUnit, startLeader, temporaryFolder } from '@lcs/testkit';
import { describe, expect, it, vi } from 'vitest';
import {
  assign,
  beginRun,
  experiment,
  orders,
  profileLog,
  profileOf,
  putProfile,
  runningProfiles,
  runProfile,
} from './profile-fixture.ts';

const minute = 60_000;
const hour = 60 * 60_000;
const params = { experiment };

describe('the leader starts again', () => {
  const text = profileOf([
    '{type: start, t: 0}',
    '{type: pause, t: 1h}',
    '{type: resume, t: 2h}',
    '{type: update, t: 2h, options: {target_rpm: 1}}',
    '{type: stop, t: 3h}',
    '{type: start, t: 4h}',
    '{type: start, t: 10h}',
  ]);

  it('and the run continues: missed steps are skipped, except for stops', async () => {
    await using begun = await beginRun(text);
    const { first, unit, id } = begun;
    const { clock } = first;
    await clock.advance(minute);
    expect(orders(unit)).toHaveLength(1);
    // What is written now is for later runs.
    await putProfile(first, 'p.yaml', profileOf(['{type: start, t: 9h}']));
    await first[Symbol.asyncDispose]();
    await clock.advance(5 * hour);
    await using leader = await begun.again();
    await clock.advance(minute);
    expect(orders(unit).slice(1)).toEqual([`POST stop {"job_name":"stirring","experiment":"${experiment}"}`]);
    expect(await runningProfiles(leader)).toMatchObject([
      { settings: { $state: 'ready', experiment_profile_name: 'steps', action_count: 6 } },
    ]);
    expect(profileLog(leader).filter((line) => line.startsWith('WARNING rx01 Missed:'))).toHaveLength(4);
    expect(await leader.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: null }]);
    await clock.advance(5 * hour);
    expect(orders(unit).at(-1)).toContain('run/job_name/stirring');
    expect(orders(unit).at(-1)).toContain(`"JOB_SOURCE":"experiment_profile/${id}"`);
    expect(await runningProfiles(leader)).toEqual([]);
    expect(await leader.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'finished' }]);
  }, 30_000);

  it('and a run with an unreadable text is closed: its jobs are stopped', async () => {
    await using begun = await beginRun(text);
    const { first, unit, id } = begun;
    const { clock } = first;
    await clock.advance(minute);
    await first.editStore((database) => database.exec("update profile_runs set profile_text = 'of another time'"));
    await first[Symbol.asyncDispose]();
    await using leader = await begun.again();
    await expect
      .poll(() => leader.client.listRecentProfileRuns({ params }), { timeout: 5_000 })
      .toMatchObject([{ outcome: 'failed' }]);
    expect(orders(unit).at(-1)).toBe(
      `POST stop ${JSON.stringify({ job_source: `experiment_profile/${id}`, experiment })}`,
    );
    expect(profileLog(leader)).toContainEqual(expect.stringContaining('no longer readable'));
  }, 30_000);

  it('after a moment, and does the steps that were due; a command in flight is sent again under the same key', async () => {
    await using folder = await temporaryFolder('profiles');
    const first = await startLeader({ dataFolder: folder.path });
    const { clock } = first;
    await first.client.createExperiment({ body: { experiment } });
    let isAnswering = true;
    await using unit = await addToyUnit(first, 'rx01', {
      answer: ({ path }) =>
        path.endsWith('task_results/start') && !isAnswering
          ? {
              status: 202,
              body: { task_id: 'start', result_url_path: '/unit_api/task_results/start', status: 'running' },
            }
          : undefined,
    });
    await assign(first, ['rx01']);
    await putProfile(first, 'p.yaml', profileOf(['{type: start, t: 0}', '{type: stop, t: 30s}']));
    isAnswering = false;
    await runProfile(first, 'p.yaml');
    await vi.waitFor(() => expect(orders(unit)).toHaveLength(1), 5_000);
    await first[Symbol.asyncDispose]();
    isAnswering = true;
    await clock.advance(40_000);
    await using leader = await startLeader({ dataFolder: folder.path, clock });
    await clock.advance(1_000);
    const keys = unit.requests
      .filter(({ path }) => path.includes('/jobs/run/'))
      .map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(orders(unit).at(-1)).toContain('POST stop {"job_name":"stirring"');
    expect(await leader.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'finished' }]);
  }, 30_000);
});
