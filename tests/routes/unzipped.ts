import { text } from 'node:stream/consumers';
import { fromBuffer } from 'yauzl';

/** The files of a zip archive as text, by name, in its order. */
export function unzipped(bytes: Uint8Array): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    fromBuffer(Buffer.from(bytes), { lazyEntries: true }, (failure, archive) => {
      if (failure) return reject(failure);
      const files: Record<string, string> = {};
      archive.on('error', reject);
      archive.on('end', () => resolve(files));
      archive.on('entry', (entry) => {
        archive.openReadStream(entry, (fault, stream) => {
          if (fault) return reject(fault);
          text(stream).then((content) => {
            files[entry.fileName] = content;
            archive.readEntry();
          }, reject);
        });
      });
      archive.readEntry();
    });
  });
}
