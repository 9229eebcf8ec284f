/** For tests: the program as a function. */

export { type ProgramsInSmallProcess, startProgramsInSmallProcess } from './programs-in-small-process.ts';
export { type ProgramUnderTest, runProgram, startProgram } from './run-program.ts';
