export * from './cluster-experiment.ts';
export * from './desired.ts';
export * from './enrolment.ts';
export * from './feed.ts';
export * from './needed-desired.ts';
export * from './records.ts';
export * from './words.ts';
