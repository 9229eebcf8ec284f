import { hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type Caller, publicPermissions } from '@lcs/contract';

/** The secret of the processes of one leader: whoever has its data folder has it. Derived, so that nothing is stored. */
export function ingestToken(leaderKey: KeyObject): string {
  const key = leaderKey.export({ type: 'pkcs8', format: 'der' });
  return Buffer.from(hkdfSync('sha256', key, '', 'lcs ingest process', 32)).toString('base64url');
}

/** It may only connect as an ingest process. */
const ingestCaller: Caller = {
  kind: 'leader',
  id: 'ingest',
  personId: '',
  name: 'ingest',
  permissions: publicPermissions,
};

/** The caller with this token, if it is an ingest process. */
export function ingestCallers(leaderKey: KeyObject): (token: string) => Caller | undefined {
  const expected = Buffer.from(ingestToken(leaderKey));
  return (token) => {
    const given = Buffer.from(token);
    return given.length === expected.length && timingSafeEqual(given, expected) ? ingestCaller : undefined;
  };
}
