export { type Answer, Caller, type CallOptions, type Observe } from './caller.ts';
export { type LeaderProcess, startLeaderProcess } from './leader-process.ts';
export { type LeaderUnderTest, type LeaderUnderTestOptions, startLeader } from './leader-under-test.ts';
export { addSlowUnit, type SlowUnit } from './slow-unit.ts';
export { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
