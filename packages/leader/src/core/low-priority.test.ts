import { once } from 'node:events';
import { constants, getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/** The priority of a thread that has stood back. */
async function priorityInThread(): Promise<unknown> {
  const file = JSON.stringify(new URL('./low-priority.ts', import.meta.url).href);
  const thread = new Worker(
    `import(${file}).then(({ lowerThreadPriority }) => {
       lowerThreadPriority();
       require('node:worker_threads').parentPort.postMessage(require('node:os').getPriority());
     });`,
    { eval: true },
  );
  const [priority]: unknown[] = await once(thread, 'message');
  await thread.terminate();
  return priority;
}

it('lowers the priority of the calling thread only', async () => {
  const before = getPriority();
  expect(await priorityInThread()).toBe(process.platform === 'linux' ? PRIORITY_BELOW_NORMAL : before);
  expect(getPriority()).toBe(before);
});
