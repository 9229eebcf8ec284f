import { startStandInLeader, startUnit, testExperiment } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';

it('measures on its simulated board and shows it in its feed', async () => {
  await using leader = await startStandInLeader();
  await using unit = await startUnit({ leaderUrl: leader.url });
  await leader.enrolled();
  const report = await leader.put(unit.url);
  expect(report).toMatchObject({ version: 1, parts: { experiment: { state: 'applied' } } });
  const accepted = await unit.client.runJob({ params: { job: 'od_reading' }, body: {} });
  expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded', result: { state: 'ready' } });
  await unit.clock.advance(60_000);
  // What waits for its commit is not in the feed yet.
  const feed = await vi.waitFor(async () => {
    const answer = await leader.read(unit.url, { wait: 1_000 });
    expect(answer.records.filter(({ kind }) => kind === 'sample').length).toBeGreaterThan(20);
    return answer;
  }, 20_000);
  expect(feed.jobs).toContainEqual(
    expect.objectContaining({ job_name: 'od_reading', state: 'ready', experiment: testExperiment.name }),
  );
  expect(feed.series).toContainEqual(
    expect.objectContaining({ experiment_uid: testExperiment.uid, source: 'od', channel: '2', angle: 90 }),
  );
  const readings = feed.records.filter(({ kind }) => kind === 'sample');
  for (const reading of readings) expect(reading).toMatchObject({ flags: ['simulated'] });
});
