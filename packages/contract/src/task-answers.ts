import { type Static, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import { ProblemError } from './problem-error.ts';
import { type FailedUnitOutcome, type FinishedTask, UnitOutcome } from './resources/task.ts';

const openSchemas = new WeakMap<TSchema, TSchema>();

/** The same schema without `additionalProperties: false`: a program of a newer version may send more fields. */
export function withFurtherFields(schema: TSchema): TSchema {
  const open: TSchema =
    openSchemas.get(schema) ??
    JSON.parse(
      JSON.stringify(schema, (key, value: unknown) =>
        key === 'additionalProperties' && value === false ? undefined : value,
      ),
    );
  openSchemas.set(schema, open);
  return open;
}

/** Whether a value that another program sent has the declared shape; further fields are allowed. */
export const hasShape = <const Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> =>
  Check(withFurtherFields(schema), value);

/** The entries of a list that have the declared shape; undefined when the value is not a list. */
export function entriesOf<const Schema extends TSchema>(
  schema: Schema,
  value: unknown,
): readonly Static<Schema>[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const open = withFurtherFields(schema);
  return value.filter((entry: unknown): entry is Static<Schema> => Check(open, entry));
}

/** The result of a task, in its declared shape. @throws ProblemError when the task failed, or its result has another shape */
export function taskResult<const Schema extends TSchema>(task: FinishedTask, schema: Schema): Static<Schema> {
  if (task.status === 'failed') throw ProblemError.ofTask(task);
  if (hasShape(schema, task.result)) return task.result;
  throw new ProblemError('answer', {
    error: 'The result of the task is not readable.',
    cause: 'Its fields are not those that the contract declares.',
    remediation: 'Install the same version on the leader and its units, then try again.',
    code: 'unexplained_answer',
    status: 500,
  });
}

/** Outcome of one unit, with a value whose shape is known. */
export type UnitOutcomeOf<Value> =
  | { readonly ok: true; readonly unit: string; readonly value: Value }
  | FailedUnitOutcome;

const unreadable = (unit: string): FailedUnitOutcome => ({
  ok: false,
  unit,
  error: { kind: 'decode_error', message: `The answer of ${unit} is not readable.` },
  status_code: null,
  retryable: false,
});

function outcomeOf<const Schema extends TSchema>(
  unit: string,
  outcome: unknown,
  schema: Schema,
): UnitOutcomeOf<Static<Schema>> {
  if (!hasShape(UnitOutcome, outcome)) return unreadable(unit);
  if (!outcome.ok) return outcome;
  const { value } = outcome;
  return hasShape(schema, value) ? { ok: true, unit: outcome.unit, value } : unreadable(unit);
}

/**
 * The outcomes of a task that addresses units, by unit. A list in the result belongs to no unit (`profiles_stopped`).
 * @param value the shape of what a unit answers
 * @throws ProblemError when the task failed
 */
export function unitOutcomes(task: FinishedTask): ReadonlyMap<string, UnitOutcome>;
export function unitOutcomes<const Schema extends TSchema>(
  task: FinishedTask,
  value: Schema,
): ReadonlyMap<string, UnitOutcomeOf<Static<Schema>>>;
export function unitOutcomes(
  task: FinishedTask,
  value: TSchema = Type.Unknown(),
): ReadonlyMap<string, UnitOutcomeOf<unknown>> {
  if (task.status === 'failed') throw ProblemError.ofTask(task);
  const { result } = task;
  if (typeof result !== 'object' || result === null) return new Map();
  const outcomes = Object.entries(result).filter(([, outcome]: [string, unknown]) => !Array.isArray(outcome));
  return new Map(outcomes.map(([unit, outcome]: [string, unknown]) => [unit, outcomeOf(unit, outcome, value)]));
}
