import { Backups } from '../resources/backup.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const base = { tag: 'System', cache: 'no-store', origin: 'extension' } as const satisfies Partial<RouteDeclaration>;

/** Copies of all that the leader needs to be the same again on another machine. */
export const backupRoutes = routes({
  listBackups: {
    ...base,
    method: 'GET',
    path: '/api/system/backups',
    summary: 'Backups of the leader: where, when, and which there are',
    permission: 'system.read',
    responses: ok(Backups),
    errors: [],
  },
  createBackup: {
    ...base,
    method: 'POST',
    path: '/api/system/backups',
    summary: 'Make a backup of the leader now',
    description:
      'Its result is `{backup_name, place, bytes, removed}`; `removed` are earlier ones that need not be kept. The backup was read through and is on disk then. Restored by `lcs restore`, while the leader is stopped.',
    permission: 'system.backup',
    responses: accepted,
    errors: ['backup_place_missing'],
  },
});
