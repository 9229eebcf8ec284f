import { nameHint } from '../names/name-hint.ts';
import { expressionSources } from './check-expressions.ts';
import type { ProfileFinding } from './diagnostic.ts';
import { type Lookup, lookupsIn } from './expressions/expression.ts';
import { parseExpression } from './expressions/parse-expression.ts';
import { ExpressionError } from './expressions/tokens.ts';
import { readableSettings } from './known-jobs.ts';
import type { ProfileAction } from './profile.ts';
import { shortened } from './shortened.ts';

/** The look-ups of an expression; none of an invalid one, which has its own diagnostic. */
function lookupsOf(source: string): readonly Lookup[] {
  // A look-up has two colons, and most expressions have none.
  if (!source.includes(':')) return [];
  try {
    return lookupsIn(parseExpression(source));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return [];
  }
}

/** Warnings about look-ups of jobs and settings that do not exist. `job`: of the action; `unchecked`: jobs whose settings are not known here, which is reported elsewhere. */
export function* unknownLookups(
  path: string,
  job: { readonly name: string; readonly unchecked: ReadonlySet<string> },
  action: ProfileAction,
): Generator<ProfileFinding> {
  for (const { path: own, source } of expressionSources(path, action)) {
    for (const { job: part, setting } of lookupsOf(source)) {
      const name = part.is === 'named' ? part.name : job.name;
      if (job.unchecked.has(name)) continue;
      const settings = readableSettings.get(name);
      const base = { severity: 'warning', path: own } as const;
      if (settings === undefined) {
        const message = `The expression reads the job '${shortened(name)}', which is unknown, unless a plugin has it.`;
        yield { ...base, code: 'lookup.unknown_job', message, hint: nameHint(name, [...readableSettings.keys()]) };
      } else if (!settings.has(setting)) {
        const message = `The expression reads '${shortened(setting)}' of ${name}, which does not publish it.`;
        yield { ...base, code: 'lookup.unknown_setting', message, hint: nameHint(setting, [...settings]) };
      }
    }
  }
}
