import { toTimestamp, withHiddenSecrets } from '@lcs/platform';
import { ZipFile } from 'yazl';
import { sharedConfigName } from './config-history.ts';

/** A file of an archive. */
export interface ArchivedConfig {
  readonly unit: string;
  readonly text: string;
}

/** All configuration files in one zip archive, piece by piece. `now` is in milliseconds. */
export function configArchive(
  shared: string,
  own: readonly ArchivedConfig[],
  now: number,
): AsyncIterable<string | Uint8Array> {
  const files = [
    { name: sharedConfigName, text: shared },
    ...own.map(({ unit, text }) => ({ name: `${unit}/unit_config.ini`, text })),
  ];
  const metadata = {
    metadata_version: 1,
    downloaded_at_utc: toTimestamp(now),
    included_config_files: files.map(({ name }) => name),
    // The leader keeps the files of all its units: none has to be asked, so none can be missing.
    omitted_units: [],
  };
  const archive = new ZipFile();
  const entry = { mtime: new Date(now) };
  for (const { name, text } of files) archive.addBuffer(Buffer.from(withHiddenSecrets(text)), name, entry);
  archive.addBuffer(Buffer.from(`${JSON.stringify(metadata, null, 2)}\n`), 'metadata.json', entry);
  archive.end();
  return archive.outputStream;
}
