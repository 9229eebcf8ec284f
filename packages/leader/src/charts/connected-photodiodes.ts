import { type PhotodiodeChannel, photodiodeChannels } from '@lcs/domain';
import type { IniView } from '@lcs/platform';
import { type SqlBool, sql } from 'kysely';
import { ownConfigNames } from '../config/config-history.ts';
import type { LeaderReader } from '../queries/experiments.ts';

const section = 'od_config.photodiode_channel';

/** Whether the newest file of its own of a worker says something about its photodiodes. */
async function hasOwnWiring(database: LeaderReader): Promise<boolean> {
  const [prefix] = ownConfigNames('');
  const newest = sql<string>`(select c.data from config_histories c where c.filename = ${prefix} || w.reactor_unit
    order by c.at desc, c.id desc limit 1)`;
  const found = await database
    .selectFrom('workers as w')
    .where(sql<SqlBool>`${newest} like ${`%[${section}]%`}`)
    .select('w.reactor_unit')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The photodiodes that units may publish: those of the shared file, or all while a worker has a wiring of its own. */
export async function connectedPhotodiodes(
  database: LeaderReader,
  view: IniView,
): Promise<readonly PhotodiodeChannel[]> {
  const shared = photodiodeChannels.filter((channel) => {
    const angle = view[section]?.[channel]?.trim() ?? '';
    return angle !== '' && angle !== 'REF';
  });
  return shared.length === 0 || (await hasOwnWiring(database)) ? photodiodeChannels : shared;
}
