import { type Capability, type FinishedTask, ownValue } from '@lcs/contract';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOption = (value: unknown): boolean =>
  isRecord(value) && typeof value.name === 'string' && typeof value.type === 'string';

const isCapability = (value: unknown): value is Capability =>
  isRecord(value) &&
  typeof value.job_name === 'string' &&
  Array.isArray(value.options) &&
  value.options.every(isOption) &&
  isRecord(value.published_settings);

/** The unit has not said what it can do. */
export class NoCapabilities extends Error {}

/** What a unit says it can do, of the finished task that asked it. An entry that makes no sense is left out. */
export function readCapabilities(task: FinishedTask, unit: string): readonly Capability[] {
  if (task.status === 'failed') throw new NoCapabilities(task.error);
  const outcome = isRecord(task.result) ? ownValue(task.result, unit) : undefined;
  if (!isRecord(outcome) || outcome.ok !== true || !Array.isArray(outcome.value))
    throw new NoCapabilities(`${unit} did not say what it can do.`);
  return outcome.value.filter(isCapability);
}
