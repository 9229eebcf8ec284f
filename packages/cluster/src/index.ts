export { type CapsuleReport, verifyCapsule } from '@lcs/leader';
export { type OpenedCapsule, openCapsule } from './capsule/open-capsule.ts';
export { type ControlNode, createControlNode } from './control/control-node.ts';
export { createDemo, type Demo, type DemoOptions } from './demo/demo.ts';
export { createLeaderNode, type LeaderNode, type LeaderNodeOptions } from './leader-node.ts';
export { detectBoard, type LinuxBoardChoice, switchOutputsOff } from './linux-board.ts';
export * from './machine-setup/index.ts';
export type { SimulatedBoardChoice } from './simulated-board.ts';
export { createUnitNode, type UnitNode, type UnitNodeOptions } from './unit-node.ts';
