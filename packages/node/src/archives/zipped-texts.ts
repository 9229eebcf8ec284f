import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { ZipFile } from 'yazl';

/** Files of text as a zip, chunk by chunk. They are read one by one, with other work in between. `nowMs` dates them. */
export async function* zippedTexts(
  files: AsyncIterable<{ readonly name: string; readonly text: string }>,
  nowMs: number,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  zip.on('error', failed.reject);
  const fill = async (): Promise<void> => {
    for await (const { name, text } of files) {
      zip.addBuffer(Buffer.from(text), name, { mtime: new Date(nowMs) });
      await turnOfEventLoop();
    }
    zip.end();
  };
  fill().catch(failed.reject);
  const chunks = zip.outputStream[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([chunks.next(), failed.promise]);
    if (next.done) return;
    yield Buffer.from(next.value);
  }
}
