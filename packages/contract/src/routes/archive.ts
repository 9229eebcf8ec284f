import { ArchivedMonths, SealRequest } from '../resources/archive.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const base = { tag: 'System', cache: 'no-store', origin: 'extension' } as const satisfies Partial<RouteDeclaration>;

/** Closed months of readings, as Parquet files. */
export const archiveRoutes = routes({
  listArchive: {
    ...base,
    method: 'GET',
    path: '/api/system/archive',
    summary: 'The files of sealed months',
    permission: 'system.read',
    responses: ok(ArchivedMonths),
    errors: [],
  },
  sealMonth: {
    ...base,
    method: 'POST',
    path: '/api/system/archive/{month}/seal',
    summary: 'Move the readings of a closed month into Parquet files',
    description:
      'A file for each experiment, verified before its rows are removed from the store; charts and exports answer as before. The result of the task is `{month, files, rows, bytes}` of all files of the month. After an interruption, request it again: it continues.',
    permission: 'system.backup',
    body: SealRequest,
    responses: accepted,
    errors: ['month_invalid', 'month_not_closed', 'archive_place_invalid'],
  },
  verifyMonth: {
    ...base,
    method: 'POST',
    path: '/api/system/archive/{month}/verify',
    summary: 'Compare the files of a sealed month with the manifest',
    description: 'The result of the task is `{month, files, faulty: [{place, file, fault}]}`.',
    permission: 'system.backup',
    responses: accepted,
    errors: ['month_invalid', 'month_not_sealed'],
  },
  unsealMonth: {
    ...base,
    method: 'POST',
    path: '/api/system/archive/{month}/unseal',
    summary: 'Bring the readings of a sealed month back into the store',
    description:
      'Its files are verified before, and removed at the end. The result of the task is `{month, files, rows, bytes}`.',
    permission: 'system.backup',
    responses: accepted,
    errors: ['month_invalid', 'month_not_sealed'],
  },
});
