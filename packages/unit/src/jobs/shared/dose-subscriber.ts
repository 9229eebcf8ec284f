import { type Dilution, dilutionOf, dosingEventName } from '@lcs/domain';
import type { JobContext } from '@lcs/node';

/** Calls `listener` for each dilution of the vial, with the volume that the ledger had before it. */
export function onDilution(context: Pick<JobContext, 'topics' | 'listen'>, listener: (dose: Dilution) => void): void {
  context.listen(context.topics.events, ({ data }, name) => {
    const dose = name === dosingEventName ? dilutionOf(data) : undefined;
    if (dose !== undefined) listener(dose);
  });
}
