import { describe, expect, it } from 'vitest';
import { ExperimentData } from '../series/experiment-data.ts';
import { dataOf } from '../testing/test-experiments.ts';
import { answerWith, everythingStored, feedSeries, record, testIngest } from '../testing/test-ingest.ts';

const always = new AbortController().signal;
const readings = Array.from({ length: 12_000 }, (_, index) => record.sample(index + 1));
const mine = answerWith([...readings, record.event(12_001), record.setting(12_002)]);
const nothing = { samples: [], flags: [], context: [], minutes: [], tenMinutes: [], hours: [], events: [], known: [] };

/** A store with many readings of an experiment, and some of another. */
async function filledStore() {
  const store = await testIngest();
  await store.addExperiments('e1', 'e2');
  await store.take('rx01', mine);
  await store.take('rx02', answerWith([record.sample(1)], [feedSeries({ experiment_uid: 'e2' })]));
  return store;
}

type Store = Awaited<ReturnType<typeof filledStore>>;

const markDeleted = ({ database }: Store) =>
  database.write(async (transaction) => {
    await transaction.updateTable('experiments').set({ deleting_at: 1 }).where('uid', '=', 'e1').execute();
    await transaction.insertInto('deleted_experiments').values({ uid: 'e1', name: 'e1', deleted_at: 1 }).execute();
  });

const leftOf = async (store: Store, uid: string) => {
  const { samples, flags, context, minutes, tenMinutes, hours, events, known } = await everythingStored(store);
  const all = { samples, flags, context, minutes, tenMinutes, hours, events, known };
  return Object.fromEntries(
    Object.entries(all).map(([name, rows]) => [name, rows.filter(({ experiment_uid }) => experiment_uid === uid)]),
  );
};

describe('removing what is stored of an experiment', () => {
  it('continues after an interruption, and does not affect others', async () => {
    await using store = await filledStore();
    await markDeleted(store);
    let batches = 0;
    const cutShort = new ExperimentData({
      database: store.database,
      ids: store.series.ids,
      settled: () => store.ingest.settled(),
      now: () => 0,
      probe: () => {
        batches += 1;
        if (batches === 2) throw new Error('cut');
      },
    });
    await expect(cutShort.remove('e1', always, () => {})).rejects.toThrow('cut');
    expect((await leftOf(store, 'e1')).samples).toHaveLength(2_000);
    await dataOf(store.database).remove('e1', always, () => {});
    expect(await leftOf(store, 'e1')).toEqual(nothing);
    expect((await leftOf(store, 'e2')).samples).toHaveLength(1);
  });

  it('ends when it is cancelled, between two transactions', async () => {
    await using store = await filledStore();
    const ending = new AbortController();
    const removal = dataOf(store.database).remove('e1', ending.signal, () => ending.abort(new Error('cancelled')));
    await expect(removal).rejects.toThrow('cancelled');
    expect((await leftOf(store, 'e1')).samples).toHaveLength(7_000);
  });

  it('leaves no rows, although a batch without knowledge of the deletion was being stored', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    const late = store.take('rx01', mine);
    // Let it look up its experiment.
    while (store.database.version < 2) await new Promise<void>((resolve) => setImmediate(resolve));
    await markDeleted(store);
    const data = new ExperimentData({
      database: store.database,
      ids: store.series.ids,
      settled: () => store.ingest.settled(),
      now: () => 0,
    });
    await data.remove('e1', always, () => {});
    await late;
    expect(await leftOf(store, 'e1')).toEqual(nothing);
    expect(await store.all('select count(*) as n from series')).toEqual([{ n: 0 }]);
    await store.take('rx01', answerWith([record.sample(12_003)]));
    expect(await leftOf(store, 'e1')).toEqual(nothing);
  });
});
