export { advanceableClock } from './advanceable-clock.ts';
export { type Answer, type AnswerStage, Caller, type CallOptions, type Observe } from './caller.ts';
export { childOf } from './child-of.ts';
export {
  type ControlProcessOptions,
  startApiProcess,
  startControlProcess,
  startIngestProcess,
} from './control-process.ts';
export { type DemoProcessOptions, startDemoProcess } from './demo-process.ts';
export { startDemo } from './demo-under-test.ts';
export { type LeaderProcess, startLeaderProcess } from './leader-process.ts';
export { type LeaderUnderTest, type LeaderUnderTestOptions, startLeader } from './leader-under-test.ts';
export { type NodeProcess, startNodeProcess } from './node-process.ts';
export { postgresOf } from './postgres-of.ts';
export { signedInClient, signIn } from './sign-in.ts';
export { addSlowUnit, type SlowUnit } from './slow-unit.ts';
export { type DesiredChanges, type StandInLeader, startStandInLeader, testExperiment } from './stand-in-leader.ts';
export { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
export {
  addToyUnit,
  startToyUnit,
  type ToyUnit,
  type ToyUnitOptions,
  type UnitAnswer,
  type UnitRequest,
} from './toy-unit.ts';
export { startUnitProcess, type UnitProcess, type UnitProcessOptions } from './unit-process.ts';
export { startUnit, type UnitUnderTest, type UnitUnderTestOptions } from './unit-under-test.ts';
export { endBoard, outputChanges, outputsOn } from './witnessed-outputs.ts';
