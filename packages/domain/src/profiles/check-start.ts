import type { Json } from '@lcs/contract';
import { ownValue } from '@lcs/contract/own-value';
import { checkOption } from '../jobs/check-job-value.ts';
import type { JobDeclaration, JobSettingDeclaration, JobVariant } from '../jobs/job-declaration.ts';
import { nameHint } from '../names/name-hint.ts';
import { automationOption, type Declared, optionsOf, settingsOf } from './known-jobs.ts';
import type { ProfileValues } from './profile.ts';
import { shortened } from './shortened.ts';
import { type Findings, invalidSetting, invalidValue, isExpression, shownValue, warning } from './value-findings.ts';

/** Options accept `-` for `_`. */
const optionName = (key: string): string => key.replaceAll('-', '_');

/** The option of a start that names its automation. */
const automationEntry = (options: ProfileValues): readonly [key: string, automation: Json] | undefined =>
  Object.entries(options).find(([key]) => optionName(key) === automationOption);

/** The automation of a start; undefined: none is named. */
export const automationIn = (options: ProfileValues): Json | undefined => automationEntry(options)?.[1];

const clampedOnly = (settings: readonly JobSettingDeclaration[] = []): readonly JobSettingDeclaration[] =>
  settings.filter((setting) => 'outside' in setting && setting.outside === 'clamp');

const namesOf = ({ variants }: JobDeclaration, declared: Declared<unknown>): readonly string[] =>
  variants === undefined ? [...declared.keys()] : [automationOption, ...declared.keys()];

/** Warnings about the names and values of options of a start with one of these variants. */
export function* startValues(
  job: JobDeclaration,
  variants: readonly JobVariant[],
  path: string,
  options: ProfileValues,
): Findings {
  const declared = optionsOf(job, variants);
  const settings = settingsOf(job, variants);
  for (const [key, value] of Object.entries(options)) {
    const name = optionName(key);
    if (job.variants !== undefined && name === automationOption) continue;
    const own = `${path}.options.${key}`;
    const declarations = declared.get(name);
    if (declarations === undefined) {
      const message = `${job.name} has no option '${shortened(key)}'.`;
      yield warning('option.unknown', own, message, nameHint(name, namesOf(job, declared)));
      continue;
    }
    if (isExpression(value)) continue;
    const checks = declarations.map((declaration) => checkOption(declaration, value));
    const [first] = checks;
    if (first?.ok === false && !checks.some(({ ok }) => ok)) yield invalidValue(own, name, value, first);
    // The job limits the start value of such a setting itself.
    else yield* invalidSetting(own, name, value, clampedOnly(settings.get(name)));
  }
}

function* missingOptions(job: JobDeclaration, variants: readonly JobVariant[], path: string, options: ProfileValues) {
  const given = new Set(Object.keys(options).map(optionName));
  for (const [name, [declaration]] of optionsOf(job, variants)) {
    if (!declaration?.required || given.has(name)) continue;
    yield warning('option.missing', path, `The start of ${job.name} needs the option ${name}. The action will fail.`);
  }
}

/** Warnings about the options of a start. */
export function* unknownInStart(job: JobDeclaration, path: string, options: ProfileValues): Findings {
  const { variants } = job;
  if (variants === undefined) {
    yield* startValues(job, [], path, options);
    yield* missingOptions(job, [], path, options);
    return;
  }
  const all = Object.values(variants);
  const names = Object.keys(variants);
  const [key, automation] = automationEntry(options) ?? [];
  const own = typeof automation === 'string' ? ownValue(variants, automation) : undefined;
  if (own !== undefined) {
    yield* startValues(job, [own], path, options);
    yield* missingOptions(job, [own], path, options);
  } else if (automation === undefined) {
    const message = `The start of ${job.name} needs the option ${automationOption}. The action will fail.`;
    yield warning('option.missing', path, message, `Use one of: ${names.join(', ')}.`);
    yield* startValues(job, all, path, options);
  } else if (isExpression(automation)) {
    yield* startValues(job, all, path, options);
  } else {
    // Its options are not known.
    const message = `${job.name} has no automation ${shownValue(automation)}, unless a plugin has it.`;
    const hint = nameHint(typeof automation === 'string' ? automation : '', names);
    yield warning('automation.unknown', `${path}.options.${key}`, message, hint);
  }
}
