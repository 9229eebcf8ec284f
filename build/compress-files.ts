import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const compress = promisify(brotliCompress);

/** A smaller file fits into one packet. */
const leastBytes = 1400;
/** One below the best: 1.5 % larger, in less than half of the time. */
const quality = 10;

/**
 * Adds to each script and style sheet of a folder the file that the leader sends to most browsers: some 13 % smaller than with gzip,
 * and it takes too long to be made on a Raspberry Pi.
 */
export async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.(css|js)$/.test(entry.name));
  await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      const bytes = await readFile(file);
      if (bytes.length <= leastBytes) return;
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      await writeFile(`${file}.br`, await compress(bytes, { params }));
    }),
  );
}
