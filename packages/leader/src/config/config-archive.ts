import { toTimestamp, withHiddenSecrets, zippedTexts } from '@lcs/platform';
import { sharedConfigName } from './config-history.ts';

/** The contents of an archive. They are read before the answer starts: a unit that is removed meanwhile must not cut it off. */
export interface ArchivedConfigs {
  readonly shared: string;
  /** The own file of each unit. */
  readonly own: readonly { readonly unit: string; readonly text: string }[];
}

function* filesOf({ shared, own }: ArchivedConfigs, now: number) {
  const nameOf = (unit: string) => `${unit}/unit_config.ini`;
  yield { name: sharedConfigName, text: withHiddenSecrets(shared) };
  for (const { unit, text } of own) yield { name: nameOf(unit), text: withHiddenSecrets(text) };
  const metadata = {
    metadata_version: 1,
    downloaded_at_utc: toTimestamp(now),
    included_config_files: [sharedConfigName, ...own.map(({ unit }) => nameOf(unit))],
    // The leader keeps the files of all its units: none has to be asked, so none can be missing.
    omitted_units: [],
  };
  yield { name: 'metadata.json', text: `${JSON.stringify(metadata, null, 2)}\n` };
}

/** All configuration files in one zip archive, piece by piece. `now` is in milliseconds. */
export const configArchive = (configs: ArchivedConfigs, now: number): AsyncIterable<Uint8Array> =>
  zippedTexts(filesOf(configs, now), now);
