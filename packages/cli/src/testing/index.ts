/** For tests: the program as a function. */
export { beginProgram, type ProgramUnderTest, runProgram } from './run-program.ts';
