import { validateUnitName as verdictOn } from '@lcs/domain';
import { StartupError } from '@lcs/platform';

/** A unit's name stands in addresses and topics. @throws StartupError */
export function checkUnitName(name: string): void {
  const verdict = verdictOn(name);
  if (verdict.ok) return;
  throw new StartupError(
    `The unit cannot be called ${JSON.stringify(name)}: ${verdict.cause} Choose another name with --name.`,
  );
}
