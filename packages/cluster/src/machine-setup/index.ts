export { applyChanges, ChangeFailed, describeChange } from './apply-changes.ts';
export { boardPurge } from './board-purge.ts';
export type { Change } from './change.ts';
export { checks } from './checks.ts';
export {
  leaderAddress,
  normalisedCode,
  type Refusal,
  refusalOf,
  type SetupChoices,
  unreadRefusal,
  usualUnitName,
} from './choices.ts';
export type { Outputs } from './config-txt.ts';
export type { Finding } from './finding.ts';
export { type FirstBoardStep, firstBoardSteps } from './first-board-steps.ts';
export { linuxMachine } from './linux-machine.ts';
export { type MachineFacts, type MachineRole, machineRoles, roleHas, roleOf } from './machine-facts.ts';
export type { MachinePorts } from './machine-ports.ts';
export { type FoundLeader, leaderUrl } from './mdns.ts';
export { plan, setupNotes } from './plan.ts';
export { dataFolders, type FactsToRead, readFacts } from './read-facts.ts';
export { readReportTexts, reportText } from './report.ts';
export { isEnrolled } from './service-checks.ts';
export { optionValue } from './service-options.ts';
export { unitSettled } from './settle-unit.ts';
