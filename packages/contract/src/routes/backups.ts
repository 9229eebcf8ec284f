import { Type } from 'typebox';
import { Backups } from '../resources/backup.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const base = { tag: 'System', cache: 'no-store', origin: 'extension' } as const satisfies Partial<RouteDeclaration>;

/** Backups from which the leader can be restored on another machine. */
export const backupRoutes = routes({
  listBackups: {
    ...base,
    method: 'GET',
    path: '/api/system/backups',
    summary: 'Backups of the leader: folder, schedule and list',
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
      'Its result is `{backup_name, place, bytes, removed}`; `removed` are earlier ones beyond the limit. The backup has been verified and is on disk. Restore it with `lcs restore` while the leader is stopped.',
    permission: 'system.backup',
    responses: accepted,
    errors: ['backup_place_missing'],
  },
  downloadBackup: {
    ...base,
    method: 'GET',
    path: '/api/system/backups/{backup_name}/download',
    summary: 'A backup as a zip',
    description:
      'Sent file by file, uncompressed. Unpacked, its folder is the argument of `lcs restore`, which verifies each file. A backup that was removed meanwhile ends the archive early: it cannot be opened.',
    permission: 'system.files',
    responses: { 200: { description: 'The archive', schema: Type.String(), contentType: 'application/zip' } },
    errors: ['backup_not_found', 'backup_place_missing', 'file_access_disabled'],
  },
});
