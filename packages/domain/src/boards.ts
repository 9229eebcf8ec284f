/** The entry point `@lcs/domain/boards`, for the small processes of a board: its guard and its simulation. */
export * from './od/hum-regression.ts';
export * from './od/oversampling.ts';
export * from './random/seeded-stream.ts';
export * from './temperature/board-temperature.ts';
export * from './vial/faults.ts';
export * from './vial/optics.ts';
export * from './vial/organism.ts';
export * from './vial/room.ts';
export * from './vial/thermal.ts';
export * from './vial/vial.ts';
export * from './vial/vial-parameters.ts';
export * from './vial/vial-state.ts';
