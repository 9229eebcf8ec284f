import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { createClient, leaderApi, nodeApi } from '@lcs/contract';
import { startLeaderProcess, temporaryFolder } from '@lcs/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { fromBufferPromise } from 'yauzl';

// The build replaces the CRC that yazl computes in JavaScript; a reader such as unzip rejects a file whose CRC differs.
it('writes a zip file whose checksums fit its contents', async () => {
  await using folder = await temporaryFolder('bundled-export');
  const leader = await startLeaderProcess({ dataFolder: folder.path });
  onTestFinished(() => leader.kill('SIGTERM'));
  const client = createClient({ ...leaderApi, ...nodeApi }, { baseUrl: leader.url });
  await client.createExperiment({ body: { experiment: 'yeast ramp' } });
  const { task_id } = await client.exportDatasets({
    body: {
      datasets: ['experiments', 'od_readings'],
      experiment: 'yeast ramp',
      partition_by_unit: false,
      partition_by_experiment: true,
    },
  });
  const filename = await vi.waitFor(async () => {
    const task = await client.getTaskResult({ params: { task_id } });
    if (task.status !== 'succeeded') throw new Error(`the export is ${task.status}`);
    return String(Reflect.get(Object(task.result), 'filename'));
  }, 20_000);
  const download = await fetch(`${leader.url}/exports/${filename}`);
  const zip = await fromBufferPromise(Buffer.from(await download.arrayBuffer()), { lazyEntries: true });
  const packed: Record<string, number> = {};
  const computed: Record<string, number> = {};
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue;
    packed[entry.fileName] = entry.crc32;
    computed[entry.fileName] = crc32(await buffer(await zip.openReadStreamPromise(entry)));
  }
  expect(Object.keys(packed)).toContain('manifest.json');
  expect(packed).toEqual(computed);
}, 60_000);
