export { createProgram, main } from './main.ts';
export type { ProgramIo } from './program-io.ts';
