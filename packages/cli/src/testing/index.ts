/** For tests: the program as a function. */
export { type ProgramUnderTest, runProgram, startProgram } from './run-program.ts';
