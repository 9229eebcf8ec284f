import type { DrawMessage, NumberedOrder } from '@lcs/leader';
import { drawRun } from './draw-run.ts';

/** Of a draw, the steps in which its progress is reported. */
const reportEvery = 0.02;

const send = (message: DrawMessage): void => {
  process.send?.(message);
};

async function compute({ number, ...order }: NumberedOrder): Promise<void> {
  let reported = 0;
  try {
    const run = await drawRun(order, (share) => {
      if (share - reported < reportEvery) return;
      reported = share;
      send({ kind: 'progress', number, share });
    });
    send({ kind: 'drawn', number, run, memoryMib: process.resourceUsage().maxRSS / 1024 });
  } catch (error) {
    send({ kind: 'failed', number, reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

/** The process computes the draws that it is given, all at once, and ends with its parent. */
process.on('message', (order: NumberedOrder) => {
  void compute(order);
});
process.on('disconnect', () => process.exit(0));
