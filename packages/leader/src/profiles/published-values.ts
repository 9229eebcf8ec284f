import { ApiError, type Json, nodeApi, PassedOnError, unitApi } from '@lcs/contract';
import { EvaluationError, type ExpressionScope, type PublishedOf } from '@lcs/domain';
import { compiledOnce, queryBuilder } from '@lcs/platform';
import type { Fleet, LeaderContext, LeaderSchema } from '../core/leader-context.ts';
import { askUnit } from '../fleet/ask-unit.ts';

/** How long an expression waits for a unit, in milliseconds. */
const limitMs = 2_000;

/** The state of the vial is published under the name of a job. */
const vialState = 'bioreactor';

type Published = Readonly<Record<string, Json>>;

/** Structured values come as JSON text. */
function publishedValue(value: Json): Json {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    const read: Json = JSON.parse(value);
    return read;
  } catch {
    return value;
  }
}

const assignmentOf = compiledOnce((unit) =>
  queryBuilder<LeaderSchema>()
    .selectFrom('workers as w')
    .leftJoin('assignments as a', 'a.reactor_unit', 'w.reactor_unit')
    .leftJoin('experiments as e', 'e.id', 'a.experiment_id')
    .where('w.reactor_unit', '=', unit)
    .select(['w.is_active', 'e.name']),
);

/** The experiment of an active unit. @throws EvaluationError */
async function experimentOf({ database }: Pick<LeaderContext, 'database'>, unit: string): Promise<string> {
  const [row] = (await assignmentOf(database.read, unit)).rows;
  if (row === undefined) throw new EvaluationError(`There is no unit ${unit}.`);
  if (row.is_active !== 1) throw new EvaluationError(`${unit} is not active.`);
  if (row.name === null) throw new EvaluationError(`${unit} is in no experiment.`);
  return row.name;
}

async function publishedBy(
  context: Pick<LeaderContext, 'database'> & { readonly fleet: Pick<Fleet, 'passOn'> },
  { unit, job }: PublishedOf,
): Promise<Published> {
  const experiment = await experimentOf(context, unit);
  if (job === vialState) {
    const call = { params: { experiment } };
    return { ...(await askUnit(context.fleet, unit, unitApi.getBioreactor, call, { limitMs })).values };
  }
  const call = { params: { job_name: job } };
  const { settings } = await askUnit(context.fleet, unit, nodeApi.getJobSettings, call, { limitMs });
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, publishedValue(value)]));
}

/**
 * Asks the units for what these jobs publish now. A unit that does not answer makes only those expressions fail which need its values.
 */
export async function publishedValues(
  context: Pick<LeaderContext, 'database'> & { readonly fleet: Pick<Fleet, 'passOn'> },
  wanted: readonly PublishedOf[],
): Promise<ExpressionScope['published']> {
  const answers = new Map<string, Published | EvaluationError>();
  await Promise.all(
    wanted.map(async (one) => {
      const key = `${one.unit}:${one.job}`;
      try {
        answers.set(key, await publishedBy(context, one));
      } catch (error) {
        const isAnswer = error instanceof ApiError || error instanceof PassedOnError;
        if (!(error instanceof EvaluationError || isAnswer)) throw error;
        const why = isAnswer ? error.body.cause : error.message;
        answers.set(key, new EvaluationError(`${key} has no values: ${why}`));
      }
    }),
  );
  return (unit, job) => {
    const answer = answers.get(`${unit}:${job}`) ?? new EvaluationError(`${unit}:${job} was not read.`);
    if (answer instanceof EvaluationError) throw answer;
    return answer;
  };
}
