import { describe, expect, it } from 'vitest';
import { hour, startExperiments } from '../testing/test-experiments.ts';
import { startTestLeader } from '../testing/test-leader.ts';
import { createExperiment } from './create-experiment.ts';
import { ExperimentOverview } from './experiment-overview.ts';

describe('the kept lists of experiments', () => {
  it('are made once for as long as nothing changes', async () => {
    await using leader = await startTestLeader();
    await createExperiment(leader.context, { experiment: 'a' });
    const overview = new ExperimentOverview(leader.context);
    const [first, second] = await Promise.all([overview.current(), overview.current()]);
    await leader.clock.advance(hour - 1);
    expect(second).toBe(first);
    expect(await overview.current()).toBe(first);
  });

  it('are made again as soon as the age of an experiment changes', async () => {
    await using leader = await startExperiments();
    await leader.create('a');
    await leader.clock.advance(hour - 1);
    expect(await leader.listed()).toMatchObject([{ delta_hours: 0 }]);
    await leader.clock.advance(1);
    expect(await leader.listed()).toMatchObject([{ delta_hours: 1 }]);
    leader.clock.stepWallClock(-3 * hour);
    expect(await leader.listed()).toMatchObject([{ delta_hours: -2 }]);
  });

  it('show every change from the moment it was answered', async () => {
    await using leader = await startExperiments();
    for (const name of ['a', 'b', 'c']) {
      await leader.create(name);
      expect(await leader.names()).toContain(name);
    }
  });

  it('are read again after a reading that failed', async () => {
    await using leader = await startExperiments();
    await leader.create('a');
    let fails = true;
    const { database, clock } = leader.context;
    const flaky = {
      version: 1,
      get read() {
        if (fails) throw new Error('the disk is gone');
        return database.read;
      },
      write: database.write.bind(database),
      bulk: database.bulk.bind(database),
    };
    const overview = new ExperimentOverview({ database: flaky, clock });
    await expect(overview.current()).rejects.toThrow('the disk is gone');
    fails = false;
    expect((await overview.current()).all.text).toContain('"experiment":"a"');
  });
});
