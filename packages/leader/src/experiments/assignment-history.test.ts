import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignWorker } from '../assignments/assign-worker.ts';
import { type ExperimentsUnderTest, startExperiments } from '../testing/test-experiments.ts';
import { bodyOf, request } from '../testing/test-leader.ts';

const history = async ({ handlers }: ExperimentsUnderTest, experiment: string) =>
  bodyOf(await handlers.listHistoricalAssignments(request({ experiment }, undefined)));

const remove = ({ handlers }: ExperimentsUnderTest, experiment: string) =>
  handlers.deleteExperiment(request({ experiment }, undefined));

describe('historical assignments', () => {
  it('name each unit once, by name, with its present membership', async () => {
    await using leader = await startExperiments();
    await leader.create('a');
    await leader.create('b');
    for (const unit of ['rx02', 'rx01']) await leader.addWorker(unit);
    for (const experiment of ['a', 'b', 'a', 'b']) await assignWorker(leader.context, experiment, 'rx02');
    await assignWorker(leader.context, 'a', 'rx01');
    expect(await history(leader, 'a')).toEqual([
      { reactor_unit: 'rx01', experiment: 'a', is_currently_assigned_to_experiment: 1 },
      { reactor_unit: 'rx02', experiment: 'a', is_currently_assigned_to_experiment: 0 },
    ]);
    expect(await history(leader, 'nobody')).toEqual([]);
  });

  it('are kept when the experiment is deleted, and do not go over to a new one of its name', async () => {
    await using leader = await startExperiments();
    await leader.create('a');
    await leader.addWorker('rx01');
    await leader.addWorker('rx02');
    await assignWorker(leader.context, 'a', 'rx01');
    await remove(leader, 'a');
    const kept = [{ reactor_unit: 'rx01', experiment: 'a', is_currently_assigned_to_experiment: 0 }];
    expect(await history(leader, 'a')).toEqual(kept);
    await leader.create('a');
    expect(await history(leader, 'a')).toEqual([]);
    await assignWorker(leader.context, 'a', 'rx02');
    expect(await history(leader, 'a')).toEqual([
      { reactor_unit: 'rx02', experiment: 'a', is_currently_assigned_to_experiment: 1 },
    ]);
    await remove(leader, 'a');
    expect(await history(leader, 'a')).toMatchObject([{ reactor_unit: 'rx01' }, { reactor_unit: 'rx02' }]);
  });

  it('have an open row exactly for what is assigned now, and never end before they began', async () => {
    const units = ['rx01', 'rx02'];
    const action = fc.oneof(
      fc.record({ do: fc.constant('assign' as const), unit: fc.constantFrom(...units), to: fc.constantFrom('a', 'b') }),
      fc.record({ do: fc.constant('delete' as const), name: fc.constantFrom('a', 'b') }),
      fc.record({ do: fc.constant('step' as const), ms: fc.integer({ min: -10_000, max: 10_000 }) }),
    );
    await using leader = await startExperiments();
    for (const unit of units) await leader.addWorker(unit);
    const { read } = leader.context.database;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 10 }), async (actions) => {
        for (const each of actions) {
          for (const name of ['a', 'b']) {
            const known = await leader.names();
            if (Array.isArray(known) && !known.includes(name)) await leader.create(name);
          }
          if (each.do === 'assign') await assignWorker(leader.context, each.to, each.unit);
          else if (each.do === 'delete') await remove(leader, each.name);
          else leader.clock.stepWallClock(each.ms);
        }
        const rows = await read.selectFrom('assignment_history').selectAll().execute();
        const open = rows.filter(({ unassigned_at }) => unassigned_at === null);
        const assigned = await read.selectFrom('assignments').selectAll().orderBy('reactor_unit').execute();
        expect(
          open
            .map(({ reactor_unit, experiment_id, assigned_at }) => ({ reactor_unit, experiment_id, assigned_at }))
            .toSorted((a, b) => (a.reactor_unit < b.reactor_unit ? -1 : 1)),
        ).toEqual(assigned);
        expect(rows.filter((row) => row.unassigned_at !== null && row.unassigned_at < row.assigned_at)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});
