import { Type } from 'typebox';
import {
  AuditEntry,
  AuditExportQuery,
  AuditQuery,
  AuditVerification,
  AuditVerificationQuery,
} from '../resources/audit.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { ok } from './answers.ts';

const shared = {
  method: 'GET',
  tag: 'Access',
  permission: 'audit.inspect',
  cache: 'no-store',
  origin: 'extension',
} as const satisfies Partial<RouteDeclaration>;

/** Who requested which change. */
export const auditRoutes = routes({
  listAudit: {
    ...shared,
    path: '/api/audit',
    summary: 'Requests that may have changed something, with caller and result, newest first',
    description:
      'All requests but reads, sign-ins and refusals too. The header `x-next-before` of a full page is the start of the next one.',
    query: AuditQuery,
    responses: ok(Type.Array(AuditEntry)),
    errors: [],
  },
  exportAudit: {
    ...shared,
    path: '/api/audit/export',
    summary: 'All entries of a time as a file, oldest first',
    description:
      'The file contains all fields with their hashes, so that the chain can be verified without the leader.',
    query: AuditExportQuery,
    responses: {
      200: { description: 'The file', schema: Type.String(), contentType: 'text/csv; charset=utf-8' },
    },
    errors: [],
  },
  verifyAudit: {
    ...shared,
    path: '/api/audit/verification',
    summary: 'Verify the audit: whether an entry was changed or removed',
    query: AuditVerificationQuery,
    responses: ok(AuditVerification),
    errors: [],
  },
});
