import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { leaderSettings, settingOrDefault } from '@lcs/domain';
import { endsWithin } from '@lcs/platform';
import type { LeaderContext } from '../../core/leader-context.ts';
import { DeliveryFailed } from './delivery-failed.ts';
import { hostOf, OutsideAddresses, portOf } from './outside-address.ts';
import { leaderFileNow } from './smtp-settings.ts';

/** Read for each attempt: interfaces and units change, and a change of `leader.ini` needs no restart. */
export async function outsideAddresses({
  dataFolder,
  units,
}: Pick<LeaderContext, 'dataFolder' | 'units'>): Promise<OutsideAddresses> {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  const bases = units.all().flatMap(({ reactor_unit }) => hostOf(units.addressOf(reactor_unit) ?? '') ?? []);
  const allowed = settingOrDefault((await leaderFileNow(dataFolder)).view, leaderSettings.allowedAddresses);
  return new OutsideAddresses({ allowed, cluster: new Set([...own, ...bases]), file: join(dataFolder, 'leader.ini') });
}

/** A person who saves a channel does not wait longer for the answer about a name. */
const resolveLimitMs = 2_000;

/**
 * Why a webhook or ping must not go to this URL; undefined: it may. A name that does not resolve now is accepted: each delivery checks it again.
 */
export async function insideAddressFault(
  context: Pick<LeaderContext, 'dataFolder' | 'units' | 'wire'>,
  url: string,
): Promise<string | undefined> {
  const host = hostOf(url);
  if (host === undefined) return undefined;
  const port = portOf(new URL(url));
  let fault: string | undefined;
  const onError = (error: unknown): void => {
    if (error instanceof DeliveryFailed) fault = error.message;
  };
  const checked = outsideAddresses(context)
    .then((outside) => outside.addressesOf(host, port))
    .then(() => {}, onError);
  await endsWithin(checked, context.wire, resolveLimitMs);
  return fault;
}
