/** Schemas of the stores of a leader in a database of PostgreSQL. */
export const storeSchema = 'lcs';
export const auditSchema = 'lcs_audit';
