export * from './errors.ts';
export * from './json.ts';
export * from './permissions.ts';
export * from './route.ts';
export * from './server.ts';
