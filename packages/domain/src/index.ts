export * from './charts/chart-descriptors.ts';
export * from './models/built-in-models.ts';
export * from './models/model-name.ts';
export * from './names/experiment-name.ts';
export * from './names/tags.ts';
export * from './names/unit-label.ts';
export * from './names/unit-name.ts';
export type { Verdict } from './names/verdict.ts';
export * from './time/delta-hours.ts';
