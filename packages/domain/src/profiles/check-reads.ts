import { nameHint } from '../names/name-hint.ts';
import { expressionSources } from './check-expressions.ts';
import type { ProfileFinding } from './diagnostic.ts';
import { type Expression, expressionVariables, lookupsIn, namesIn } from './expressions/expression.ts';
import { parseExpression } from './expressions/parse-expression.ts';
import { ExpressionError } from './expressions/tokens.ts';
import { readableSettings } from './known-jobs.ts';
import type { ProfileAction, ProfileValues } from './profile.ts';
import { shortened } from './shortened.ts';

/** Undefined: invalid, which has its own diagnostic. */
function parsed(source: string): Expression | undefined {
  try {
    return parseExpression(source);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return undefined;
  }
}

interface ReadingJob {
  /** The job of the action. */
  readonly name: string;
  /** Jobs whose settings are not known here, which is reported elsewhere. */
  readonly unchecked: ReadonlySet<string>;
}

type Base = Pick<ProfileFinding, 'severity' | 'path'>;

function* unknownLookups(base: Base, job: ReadingJob, expression: Expression): Generator<ProfileFinding> {
  for (const { job: part, setting } of lookupsIn(expression)) {
    const name = part.is === 'named' ? part.name : job.name;
    if (job.unchecked.has(name)) continue;
    const settings = readableSettings.get(name);
    if (settings === undefined) {
      const message = `The expression reads the job '${shortened(name)}', which is unknown, unless a plugin has it.`;
      yield { ...base, code: 'lookup.unknown_job', message, hint: nameHint(name, [...readableSettings.keys()]) };
    } else if (!settings.has(setting)) {
      const message = `The expression reads '${shortened(setting)}' of ${name}, which does not publish it.`;
      yield { ...base, code: 'lookup.unknown_setting', message, hint: nameHint(setting, [...settings]) };
    }
  }
}

function* unknownInputs(base: Base, inputs: ProfileValues, expression: Expression): Generator<ProfileFinding> {
  const known = [...Object.keys(inputs), ...expressionVariables];
  for (const name of new Set(namesIn(expression))) {
    if (known.includes(name)) continue;
    const message = `'${shortened(name)}' is not an input of the profile: the expression has this word as a text.`;
    yield { ...base, code: 'expression.unknown_name', message, hint: nameHint(name, known) };
  }
}

/** Warnings about jobs, settings and inputs that the expressions of an action read and that do not exist. */
export function* unknownReads(
  path: string,
  job: ReadingJob,
  inputs: ProfileValues,
  action: ProfileAction,
): Generator<ProfileFinding> {
  for (const { path: own, source } of expressionSources(path, action)) {
    const expression = parsed(source);
    if (expression === undefined) continue;
    const base = { severity: 'warning', path: own } as const;
    yield* unknownLookups(base, job, expression);
    yield* unknownInputs(base, inputs, expression);
  }
}
