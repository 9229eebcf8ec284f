import { join } from 'node:path';
import { createUnitNode, type UnitNode } from '@lcs/cluster';
import { silentLog, WriterHost } from '@lcs/platform';
import type { FarmOrder } from './unit-farm.ts';

/** Runs many simulated units until its parent disconnects; tells the port of each when all are up. */
process.once('message', async ({ leaderUrl, mqttUrl, folder, units }: FarmOrder) => {
  const writer = new WriterHost();
  await writer.start();
  const nodes: UnitNode[] = [];
  for (const { name, port } of units) {
    const node = createUnitNode({
      name,
      dataFolder: join(folder, name),
      host: '127.0.0.1',
      port,
      leaderUrl: () => leaderUrl,
      board: { kind: 'here', seed: 1, oversampling: 'closed_form' },
      log: silentLog(),
      writer,
      hostSynced: () => true,
      ...(mqttUrl === undefined ? {} : { mqttUrl: () => mqttUrl }),
    });
    await node.start(new AbortController().signal);
    nodes.push(node);
  }
  process.send?.(nodes.map(({ url }) => Number(new URL(url).port)));
  process.once('disconnect', async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await writer.stop();
    process.exit();
  });
});
