import { networkInterfaces } from 'node:os';
import { leaderSettings, settingOrDefault } from '@lcs/domain';
import type { LeaderContext } from '../../core/leader-context.ts';
import { hostOf, OutsideAddresses } from './outside-address.ts';
import { leaderFileNow } from './smtp-settings.ts';

/** Read for each attempt: interfaces and units change, and a change of `leader.ini` needs no restart. */
export async function outsideAddresses({
  dataFolder,
  units,
}: Pick<LeaderContext, 'dataFolder' | 'units'>): Promise<OutsideAddresses> {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  const bases = units.all().flatMap(({ reactor_unit }) => hostOf(units.addressOf(reactor_unit) ?? '') ?? []);
  const allowed = settingOrDefault((await leaderFileNow(dataFolder)).view, leaderSettings.allowedAddresses);
  return new OutsideAddresses({ allowed, cluster: new Set([...own, ...bases]) });
}
