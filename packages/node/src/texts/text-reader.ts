import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { InvalidCalibrationFile } from '@lcs/domain';
import { type ReadTexts, readers, type TextAnswer, type TextKind, type TextQuestion } from './read-text.ts';

/** Characters of a text that is read on the event loop: the worst take up to 20 ms the first time, 4,096 up to 50 ms. */
const longestHere = 1024;
/** Reading takes some 1 kB for each character of the longest text. */
const maxOldGenerationSizeMb = 384;

const workerUrl = new URL(`./text-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/**
 * Reads texts that people sent. A long one is read by a thread of its own, which ends with it, so that nothing else waits; long
 * texts are read one after the other.
 */
export class TextReader {
  #last: Promise<void> = Promise.resolve();

  /** @throws InvalidCalibrationFile */
  async read<Kind extends TextKind>(kind: Kind, text: string): Promise<ReadTexts[Kind]> {
    if (text.length <= longestHere) return readers[kind](text);
    const answer = this.#last.then(() => answerOfThread<Kind>({ kind, text }));
    this.#last = answer.then(
      () => {},
      () => {},
    );
    const told = await answer;
    if (told.is === 'invalid') throw new InvalidCalibrationFile('', told.message);
    return told.value;
  }
}

async function answerOfThread<Kind extends TextKind>(workerData: TextQuestion): Promise<TextAnswer<Kind>> {
  const worker = new Worker(workerUrl, { name: 'text-reader', workerData, resourceLimits: { maxOldGenerationSizeMb } });
  try {
    // An error of the thread, such as a want of memory, rejects this.
    const [answer]: TextAnswer<Kind>[] = await once(worker, 'message');
    if (answer === undefined) throw new Error('The thread gave no answer.');
    return answer;
  } finally {
    await worker.terminate();
  }
}
