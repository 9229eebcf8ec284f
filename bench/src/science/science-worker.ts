import { scienceCases } from './cases.ts';
import { plantOf } from './plants.ts';
import type { RunAnswer, RunOrder } from './run-cases.ts';

/** A process that runs single runs of cases, one after the other, as long as its parent is there. */
async function answerTo({ caseName, seed, isOff }: RunOrder): Promise<RunAnswer> {
  try {
    const found = scienceCases.find(({ name }) => name === caseName);
    if (found === undefined) throw new Error(`no such case: ${caseName}`);
    return { figures: await found.run(plantOf(seed, isOff)) };
  } catch (error) {
    return { problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', (order: RunOrder) => {
  void answerTo(order).then((answer) => process.send?.(answer));
});
process.once('disconnect', () => process.exit());
