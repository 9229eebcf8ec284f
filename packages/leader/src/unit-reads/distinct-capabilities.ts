import { Capability, type DistinctCapabilities, entriesOf, type UnitOutcome } from '@lcs/contract';

type Content = readonly Capability[];

/** Without what differs from unit to unit. */
const withoutLastUsed = (capabilities: Content): Capability[] =>
  capabilities.map(({ last_used: _, ...capability }) => capability);

const lastUsedOf = (unit: string, capabilities: Content): DistinctCapabilities['last_used'] =>
  capabilities.flatMap(({ job_name, automation_name, last_used }) =>
    last_used === undefined
      ? []
      : [{ reactor_unit: unit, job_name, ...(automation_name !== undefined && { automation_name }), ...last_used }],
  );

/** Equal answers of several workers once: they are long, and equal where version and board are. */
export function distinctCapabilities(
  workers: readonly string[],
  outcomes: Readonly<Record<string, UnitOutcome>>,
): DistinctCapabilities {
  const answered = Object.values(outcomes).flatMap((outcome) => {
    const capabilities = outcome.ok ? entriesOf(Capability, outcome.value) : undefined;
    return capabilities === undefined ? [] : [{ unit: outcome.unit, capabilities }];
  });
  const byContent = new Map<string, { readonly units: string[]; readonly capabilities: Capability[] }>();
  for (const { unit, capabilities } of answered) {
    const shared = withoutLastUsed(capabilities);
    const content = JSON.stringify(shared);
    const group = byContent.get(content) ?? { units: [], capabilities: shared };
    group.units.push(unit);
    byContent.set(content, group);
  }
  const known = new Set(answered.map(({ unit }) => unit));
  return {
    groups: [...byContent.values()],
    last_used: answered.flatMap(({ unit, capabilities }) => lastUsedOf(unit, capabilities)),
    failed: workers.filter((unit) => !known.has(unit)),
  };
}
