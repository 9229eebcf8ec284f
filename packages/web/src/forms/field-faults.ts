import { AlarmFieldFault, entriesOf, ProblemError } from '@lcs/contract';

/** The faults of the fields `names` that an error reports, by field; empty: the error is about none of them. */
export function fieldFaults(error: unknown, names: readonly string[]): Readonly<Record<string, string>> {
  if (!(error instanceof ProblemError)) return {};
  const { field, cause, diagnostics } = error.body;
  const several = (entriesOf(AlarmFieldFault, diagnostics) ?? []).map(
    (fault) => [fault.field ?? fault.parameter, fault.message] as const,
  );
  const faults: Record<string, string> = {};
  for (const [name, message] of [...several, [field, cause] as const])
    if (name !== undefined && names.includes(name)) faults[name] ??= message;
  return faults;
}
