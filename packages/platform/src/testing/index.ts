/** The door `@lcs/platform/testing`: what tests of all packages share. No program imports it. */
export { testWriter } from './test-writer.ts';
