export { createLeaderNode, type LeaderNode, type LeaderNodeOptions } from './leader-node.ts';
