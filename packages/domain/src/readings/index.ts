export * from './reading-sources.ts';
