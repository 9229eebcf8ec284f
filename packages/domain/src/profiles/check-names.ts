import type { Json } from '@lcs/contract';
import { ownValue } from '@lcs/contract/own-value';
import type { JobDeclaration, JobVariant } from '../jobs/job-declaration.ts';
import { nameHint } from '../names/name-hint.ts';
import { unknownReads } from './check-reads.ts';
import { automationIn, startValues, unknownInStart } from './check-start.ts';
import { ExpressionError } from './expressions/tokens.ts';
import { isInstant, knownJob, knownJobNames, settingsOf, stateSetting } from './known-jobs.ts';
import { plannedValue } from './planned-value.ts';
import type { ProfileAction, ProfileJobs, ProfileValues } from './profile.ts';
import { shortened } from './shortened.ts';
import { type Findings, invalidSetting, isExpression, warning } from './value-findings.ts';

type Groups = readonly (readonly [path: string, jobs: ProfileJobs])[];

/** The names and values of a change of settings. `variants`: those that may run then. */
function* unknownInUpdate(
  job: JobDeclaration,
  variants: readonly JobVariant[],
  path: string,
  options: ProfileValues,
): Findings {
  const declared = settingsOf(job, variants);
  for (const [name, value] of Object.entries(options)) {
    if (name === stateSetting) continue;
    const own = `${path}.options.${name}`;
    const settings = declared.get(name) ?? [];
    const changeable = settings.filter(({ readOnly }) => !readOnly);
    if (settings.length === 0) {
      const message = `${job.name} has no setting '${shortened(name)}'.`;
      const settable = [...declared].filter(([, all]) => all.some(({ readOnly }) => !readOnly)).map(([known]) => known);
      yield warning('setting.unknown', own, message, nameHint(name, settable));
    } else if (changeable.length === 0) {
      yield warning('setting.read_only', own, `${name} of ${job.name} is read-only. The action will fail.`);
    } else if (!isExpression(value)) yield* invalidSetting(own, name, value, changeable);
  }
}

/** The options with the numbers that depend on the inputs only; other expressions stay. */
const plannedOptions = (options: ProfileValues, inputs: ProfileValues): ProfileValues =>
  Object.fromEntries(Object.entries(options).map(([key, value]) => [key, valueOrExpression(value, inputs)]));

/** A name that is no input is a text. An expression that is wrong has a finding of its own. */
function valueOrExpression(value: Json, inputs: ProfileValues): Json {
  try {
    const planned = plannedValue(value, inputs);
    return typeof planned === 'number' ? planned : value;
  } catch (error) {
    if (error instanceof ExpressionError) return value;
    throw error;
  }
}

function* unknownInActions(
  job: JobDeclaration,
  variants: readonly JobVariant[] | undefined,
  inputs: ProfileValues,
  path: string,
  actions: readonly ProfileAction[],
): Findings {
  for (const [index, action] of actions.entries()) {
    const own = `${path}.actions[${index}]`;
    if (action.type === 'repeat' || action.type === 'when')
      yield* unknownInActions(job, variants, inputs, own, action.actions);
    if (action.type === 'start') yield* unknownInStart(job, own, plannedOptions(action.options, inputs));
    if (action.type !== 'update') continue;
    const options = plannedOptions(action.options, inputs);
    if (isInstant(job)) yield* startValues(job, [], own, options);
    // An automation of a plugin has settings which are not known here.
    else if (variants !== undefined) yield* unknownInUpdate(job, variants, own, options);
  }
}

function* startsIn(actions: readonly ProfileAction[]): Generator<ProfileValues> {
  for (const action of actions) {
    if (action.type === 'start') yield action.options;
    if (action.type === 'repeat' || action.type === 'when') yield* startsIn(action.actions);
  }
}

/** The automations that the profile starts, by job; null: none is named. */
function automationsIn(groups: Groups): ReadonlyMap<string, ReadonlySet<Json>> {
  const all = new Map<string, Set<Json>>();
  for (const [name, { actions }] of groups.flatMap(([, jobs]) => Object.entries(jobs))) {
    const own = all.get(name) ?? new Set();
    for (const options of startsIn(actions)) own.add(automationIn(options) ?? null);
    all.set(name, own);
  }
  return all;
}

/** The variants of a job that may run; undefined: the job or its automation is not known here. */
function variantsOf(name: string, started: ReadonlySet<Json>): readonly JobVariant[] | undefined {
  const job = knownJob(name);
  if (job?.variants === undefined) return job && [];
  const { variants } = job;
  const names = [...started].filter((one) => one !== null && !isExpression(one));
  if (names.length === 0 || names.length < started.size) return Object.values(variants);
  const known = names.map((one) => (typeof one === 'string' ? ownValue(variants, one) : undefined));
  return known.every((variant) => variant !== undefined) ? known : undefined;
}

/** Warnings about names and values that the built-in jobs do not have. `groups`: the jobs of a profile, with their paths. */
export function* unknownNames(groups: Groups, inputs: ProfileValues): Findings {
  const variants = new Map([...automationsIn(groups)].map(([job, started]) => [job, variantsOf(job, started)]));
  const unchecked = new Set([...variants].flatMap(([job, known]) => (known === undefined ? [job] : [])));
  for (const [path, jobs] of groups) {
    for (const [name, { actions }] of Object.entries(jobs)) {
      const own = `${path}.${name}`;
      const job = knownJob(name);
      if (job === undefined) {
        const message = `The job '${shortened(name)}' is unknown, unless a plugin has it.`;
        yield warning('job.unknown', own, message, nameHint(name, knownJobNames));
      } else yield* unknownInActions(job, variants.get(name), inputs, own, actions);
      for (const [index, action] of actions.entries())
        yield* unknownReads(`${own}.actions[${index}]`, { name, unchecked }, inputs, action);
    }
  }
}
