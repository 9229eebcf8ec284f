export * from './chart.ts';
export * from './common.ts';
export * from './config.ts';
export * from './experiment.ts';
export * from './live.ts';
export * from './system.ts';
export * from './task.ts';
export * from './worker.ts';
