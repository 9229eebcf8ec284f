import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startLeader, temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { observe } from '../observe.ts';

/** Some 16 million rows: the database is busy with one step for a second or more. */
const pairs = Array.from({ length: 24 }, (_, index) => `(select 1 union all select 2) t${index}`).join(', ');
const slow = `
dataset_name: slow
display_name: Slow
description: A query that takes long
has_experiment: false
has_unit: false
default_order_by:
query: select count(*) as n from ${pairs}
`;

it('an export interrupted by the end of the leader has failed with that cause, and leaves no file', async () => {
  await using folder = await temporaryFolder('cut');
  const dataFolder = folder.path;
  await mkdir(join(dataFolder, 'exportable_datasets'), { recursive: true });
  await writeFile(join(dataFolder, 'exportable_datasets', 'slow.yaml'), slow);
  const filesIn = (name: string) => readdir(join(dataFolder, name));

  // Only a thread can be cut short.
  const first = await startLeader({ observe, dataFolder, configure: { startDatasets: undefined } });
  await first.client.createExperiment({ body: { experiment: 'exp 1' } });
  const body = { datasets: ['slow'], experiment: 'exp 1', partition_by_unit: false, partition_by_experiment: true };
  const cut = await first.client.exportDatasets({ body });
  const waiting = await first.client.exportDatasets({ body });
  await expect
    .poll(() => filesIn('exports'), { timeout: 5_000 })
    .toEqual([expect.stringMatching(/^\.export_.*\.zip\.tmp$/)]);
  const begun = performance.now();
  await first[Symbol.asyncDispose]();
  expect(performance.now() - begun).toBeLessThan(3_000);
  expect(await filesIn('exports')).toEqual([]);

  // As if the leader had been killed in the middle.
  await writeFile(join(dataFolder, 'exports', '.export_20261121044924_3fa9c1.zip.tmp'), 'half');
  await using second = await startLeader({ observe, dataFolder });
  expect(await filesIn('exports')).toEqual([]);
  for (const { task_id } of [cut, waiting]) {
    const ended = (await second.api.call('getTaskResult', { params: { task_id } })).expect(200);
    expect(ended).toMatchObject({
      status: 'failed',
      code: 'task_interrupted',
      cause: expect.stringMatching(/stopped|restart/),
    });
  }
});
