import type { RouteDeclaration } from '../route.ts';

/** What routes of people, sessions and tokens share. */
export const ofAccess = {
  tag: 'Access',
  cache: 'no-store',
  origin: 'extension',
} as const satisfies Partial<RouteDeclaration>;

/** The same of routes that concern the caller alone. */
export const ofSession = { ...ofAccess, permission: 'session.use' } as const;
