import { programVersion } from '@lcs/platform';

/** Schemas of the stores of a leader in a database of PostgreSQL. */
export const storeSchema = 'lcs';
export const auditSchema = 'lcs_audit';

/** Of live events. Another version may write them otherwise. */
export const liveChannel = `lcs_live_${programVersion}`;
