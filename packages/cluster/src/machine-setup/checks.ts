import { boardChecks } from './board-checks.ts';
import { advice, type Finding, listed, problem } from './finding.ts';
import { isManagerSilent, type MachineFacts, type MachineRole, roleHas } from './machine-facts.ts';
import { ownPaths } from './own-files.ts';
import { serviceChecks } from './service-checks.ts';
import { optionValue } from './service-options.ts';
import { systemChecks } from './system-checks.ts';
import { unreadFindings } from './unread.ts';

/** Checks that need the service manager, beside those of the services. */
const managerChecks: ReadonlySet<string> = new Set(['firmware', 'hardware_watchdog']);

/** What is in order on this machine and what is not, for what it serves as. */
export function checks(facts: MachineFacts, role: MachineRole | undefined): readonly Finding[] {
  const isSimulated = optionValue(facts.unitOptions?.words ?? [], '--board') === 'simulated';
  // Whether the unit uses a board is in its options.
  const isHidden = facts.unreadableOptions.includes(ownPaths.unitOptions);
  const isSilent = isManagerSilent(facts);
  const others = [
    ...(roleHas(role, 'unit') && !isSimulated && !isHidden ? boardChecks(facts) : []),
    ...systemChecks(facts, role),
  ];
  return [
    ...account(facts),
    ...unreadFindings(facts),
    ...(isSilent ? [] : serviceChecks(facts, role)),
    ...(isSilent ? others.filter(({ code }) => !managerChecks.has(code)) : others),
  ];
}

function account({ isRoot, unreadableOptions }: MachineFacts): readonly Finding[] {
  if (unreadableOptions.length > 0)
    return [
      problem(
        'not_root',
        `This account may not read ${listed(unreadableOptions)}: the most important checks are missing.`,
        'Run sudo lcs doctor.',
      ),
    ];
  return isRoot
    ? []
    : [advice('not_root', 'Some facts can only be read by root.', 'Run sudo lcs doctor for all checks.')];
}
