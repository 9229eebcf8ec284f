import type { DrawMessage, DrawOrder } from '@lcs/leader';
import { drawRun } from './draw-run.ts';

/** Of a draw, the steps in which its progress is reported. */
const reportEvery = 0.02;

const send = (message: DrawMessage): void => {
  process.send?.(message);
};

async function compute(order: DrawOrder): Promise<void> {
  const { draw } = order;
  let reported = 0;
  try {
    const run = await drawRun(order, (share) => {
      if (share - reported < reportEvery) return;
      reported = share;
      send({ kind: 'progress', draw, share });
    });
    send({ kind: 'drawn', draw, run, memoryMib: process.resourceUsage().maxRSS / 1024 });
  } catch (error) {
    send({ kind: 'failed', draw, reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

/** The process computes the draws that it is given, one after the other, and ends with its parent. */
let last: Promise<void> = Promise.resolve();
process.on('message', (order: DrawOrder) => {
  last = last.then(() => compute(order));
});
process.on('disconnect', () => process.exit(0));
