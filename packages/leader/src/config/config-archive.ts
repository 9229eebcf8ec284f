import { zippedTexts } from '@lcs/node';
import { toTimestamp, withHiddenSecrets } from '@lcs/platform';
import { sharedConfigName } from './config-history.ts';

/** The content of an archive. */
export interface ArchivedConfigs {
  readonly shared: string;
  readonly units: readonly string[];
  /** The unit's own file; undefined when the unit was removed meanwhile. */
  readonly ownOf: (unit: string) => Promise<string | undefined>;
}

async function* filesOf({ shared, units, ownOf }: ArchivedConfigs, now: number) {
  const nameOf = (unit: string) => `${unit}/unit_config.ini`;
  yield { name: sharedConfigName, text: withHiddenSecrets(shared) };
  const included = [sharedConfigName];
  for (const unit of units) {
    const text = await ownOf(unit);
    if (text === undefined) continue;
    included.push(nameOf(unit));
    yield { name: nameOf(unit), text: withHiddenSecrets(text) };
  }
  const metadata = {
    metadata_version: 1,
    downloaded_at_utc: toTimestamp(now),
    included_config_files: included,
    // The leader keeps the files of all its units: the archive is complete without requests to units.
    omitted_units: [],
  };
  yield { name: 'metadata.json', text: `${JSON.stringify(metadata, null, 2)}\n` };
}

/** All configuration files in one zip archive, piece by piece. `now` is in milliseconds. */
export const configArchive = (configs: ArchivedConfigs, now: number): AsyncIterable<Uint8Array> =>
  zippedTexts(filesOf(configs, now), now);
