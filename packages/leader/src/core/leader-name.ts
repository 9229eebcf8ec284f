import { validateUnitName } from '@lcs/domain';
import { StartupError } from '@lcs/platform';

/** A leader is a unit among others: its name stands in addresses and topics. @throws StartupError */
export function checkLeaderName(name: string): void {
  const verdict = validateUnitName(name);
  if (verdict.ok) return;
  throw new StartupError(
    `The leader cannot be called ${JSON.stringify(name)}: ${verdict.cause} Choose another name with --name.`,
  );
}
