import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { ProblemError } from './problem-error.ts';
import { type FinishedTask, UnitOutcome } from './resources/task.ts';

/** The same schema without `additionalProperties: false`: a program of a newer version may send more fields. */
const withFurtherFields = (schema: TSchema): TSchema =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'additionalProperties' && value === false ? undefined : value,
    ),
  );

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

const unreadable = (unit: string): UnitOutcome => ({
  ok: false,
  unit,
  error: { kind: 'decode_error', message: `The answer of ${unit} is not readable.` },
  status_code: null,
  retryable: false,
});

/** The outcomes of a task that addresses units, by unit. @throws ProblemError when the task failed */
export function unitOutcomes(task: FinishedTask): ReadonlyMap<string, UnitOutcome> {
  if (task.status === 'failed') throw ProblemError.ofTask(task);
  const { result } = task;
  if (typeof result !== 'object' || result === null) return new Map();
  return new Map(
    Object.entries(result).map(([unit, outcome]: [string, unknown]) => [
      unit,
      hasShape(UnitOutcome, outcome) ? outcome : unreadable(unit),
    ]),
  );
}
