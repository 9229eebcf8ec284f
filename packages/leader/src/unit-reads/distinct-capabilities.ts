import { Capability, type DistinctCapabilities, entriesOf, type UnitOutcome } from '@lcs/contract';

/** Equal answers of several workers once: they are long, and equal where version and board are. */
export function distinctCapabilities(
  workers: readonly string[],
  outcomes: Readonly<Record<string, UnitOutcome>>,
): DistinctCapabilities {
  const answered = Object.values(outcomes).filter((outcome) => outcome.ok);
  const byContent = Map.groupBy(answered, ({ value }) => JSON.stringify(value));
  const groups = [...byContent.values()].flatMap((equal) => {
    const capabilities = entriesOf(Capability, equal[0]?.value);
    return capabilities === undefined
      ? []
      : [{ units: equal.map(({ unit }) => unit), capabilities: [...capabilities] }];
  });
  const known = new Set(groups.flatMap(({ units }) => units));
  return { groups, failed: workers.filter((unit) => !known.has(unit)) };
}
