import { ImportReport, ListedImports, PioreactorImport } from '../resources/imports.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok, plainText } from './answers.ts';

const base = {
  tag: 'System',
  cache: 'no-store',
  origin: 'extension',
  permission: 'system.files',
} as const satisfies Partial<RouteDeclaration>;

/** Data of another system, brought into the store of this leader. */
export const importRoutes = routes({
  importPioreactor: {
    ...base,
    method: 'POST',
    path: '/api/imports/pioreactor',
    summary: 'Import the database and files of a Pioreactor leader',
    description:
      'From its folder on this machine (`folder`), or from a zip of it that was uploaded (`upload_id`). The source is only read. Experiments come as ended ones, with readings, events, log entries, labels and assignments; profiles and calibrations come if there is a place for them. An import that was interrupted or is repeated continues: nothing is stored twice. The result of the task is `{import_id, is_verified}`; the report says what came and what did not.',
    body: PioreactorImport,
    responses: accepted,
    errors: ['import_source_invalid', 'import_folder_remote'],
  },
  listImports: {
    ...base,
    method: 'GET',
    path: '/api/imports',
    summary: 'Reports of imports, newest first',
    responses: ok(ListedImports),
    errors: [],
  },
  getImport: {
    ...base,
    method: 'GET',
    path: '/api/imports/{import_id}',
    summary: 'What an import brought, and what it did not',
    responses: ok(ImportReport),
    errors: ['import_not_found', 'import_report_damaged'],
  },
  getImportText: {
    ...base,
    method: 'GET',
    path: '/api/imports/{import_id}/text',
    summary: 'The report of an import as text',
    responses: plainText,
    errors: ['import_not_found', 'import_report_damaged'],
  },
});
