import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { InvalidCalibrationFile } from '@lcs/domain';
import { type ReadTexts, readers, type TextAnswer, type TextKind, type TextQuestion } from './read-text.ts';

/** The longest text that is parsed on the event loop: in the worst case 20 ms at the first time (4,096 characters: 50 ms). */
const maxInlineLength = 1024;
/** Parsing takes about 1 kB for each character of the longest text. */
const maxOldGenerationSizeMb = 384;

const workerUrl = new URL(`./text-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/**
 * Parses texts of users. A long one is parsed by its own thread, so that it does not block the event loop; long texts are parsed one after
 * the other.
 */
export class TextReader {
  #last: Promise<void> = Promise.resolve();

  /** @throws InvalidCalibrationFile */
  async read<Kind extends TextKind>(kind: Kind, text: string): Promise<ReadTexts[Kind]> {
    if (text.length <= maxInlineLength) return readers[kind](text);
    const answer = this.#last.then(() => answerOfThread<Kind>({ kind, text }));
    this.#last = answer.then(
      () => {},
      () => {},
    );
    const result = await answer;
    if (result.is === 'invalid') throw new InvalidCalibrationFile('', result.message);
    return result.value;
  }
}

async function answerOfThread<Kind extends TextKind>(workerData: TextQuestion): Promise<TextAnswer<Kind>> {
  const worker = new Worker(workerUrl, { name: 'text-reader', workerData, resourceLimits: { maxOldGenerationSizeMb } });
  try {
    // An error of the thread, such as insufficient memory, rejects this.
    const [answer]: TextAnswer<Kind>[] = await once(worker, 'message');
    if (answer === undefined) throw new Error('The thread ended without a result.');
    return answer;
  } finally {
    await worker.terminate();
  }
}
