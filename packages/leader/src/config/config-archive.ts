import { toTimestamp, withHiddenSecrets, zippedTexts } from '@lcs/platform';
import { sharedConfigName } from './config-history.ts';

/** What an archive is made of. */
export interface ArchivedConfigs {
  readonly shared: string;
  readonly units: readonly string[];
  /** The own file of a unit. */
  readonly ownOf: (unit: string) => Promise<string>;
}

async function* filesOf({ shared, units, ownOf }: ArchivedConfigs, now: number) {
  const nameOf = (unit: string) => `${unit}/unit_config.ini`;
  yield { name: sharedConfigName, text: withHiddenSecrets(shared) };
  for (const unit of units) yield { name: nameOf(unit), text: withHiddenSecrets(await ownOf(unit)) };
  const metadata = {
    metadata_version: 1,
    downloaded_at_utc: toTimestamp(now),
    included_config_files: [sharedConfigName, ...units.map(nameOf)],
    // The leader keeps the files of all its units: none has to be asked, so none can be missing.
    omitted_units: [],
  };
  yield { name: 'metadata.json', text: `${JSON.stringify(metadata, null, 2)}\n` };
}

/** All configuration files in one zip archive, piece by piece. `now` is in milliseconds. */
export const configArchive = (configs: ArchivedConfigs, now: number): AsyncIterable<Uint8Array> =>
  zippedTexts(filesOf(configs, now), now);
