import { boardChecks } from './board-checks.ts';
import { advice, type Finding } from './finding.ts';
import { type MachineFacts, type MachineRole, roleHas } from './machine-facts.ts';
import { serviceChecks } from './service-checks.ts';
import { optionValue } from './service-options.ts';
import { systemChecks } from './system-checks.ts';

/** What is in order on this machine and what is not, for what it serves as. */
export function checks(facts: MachineFacts, role: MachineRole | undefined): readonly Finding[] {
  const isSimulated = optionValue(facts.unitOptions?.words ?? [], '--board') === 'simulated';
  return [
    ...(facts.isRoot
      ? []
      : [advice('not_root', 'Some facts can only be read by root.', 'Run sudo lcs doctor for all checks.')]),
    ...serviceChecks(facts, role),
    ...(roleHas(role, 'unit') && !isSimulated ? boardChecks(facts) : []),
    ...systemChecks(facts, role),
  ];
}
