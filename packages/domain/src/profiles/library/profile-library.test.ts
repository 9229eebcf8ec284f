import type { Json } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { builtInJobs } from '../../jobs/built-in-jobs.ts';
import type { JobOptionDeclaration, JobOptions, JobSettingDeclaration } from '../../jobs/job-declaration.ts';
import { evaluatedAction } from '../evaluated-action.ts';
import { parseProfile } from '../parse-profile.ts';
import type { BasicAction, Profile, ProfileValues } from '../profile.ts';
import { validateProfileFileName } from '../profile-file-name.ts';
import { actionsByPath, isBasicAction } from '../timeline.ts';
import { unsupportedParts } from '../unsupported-parts.ts';
import { profileLibrary } from './profile-library.ts';

function validProfile(text: string): Profile {
  const parsed = parseProfile(text);
  expect(parsed.diagnostics).toEqual([]);
  if (parsed.is !== 'valid') throw new Error('The profile must be valid.');
  return parsed.profile;
}

/** The values of a start or an update, for a unit whose targets have these values. */
function valuesOf({ inputs }: Profile, job: string, action: BasicAction): ProfileValues {
  const evaluated = evaluatedAction(action, {
    unit: 'rx01',
    experiment: 'e',
    job,
    hoursElapsed: 1,
    actionCount: 1,
    inputs,
    random: () => 0,
    published: () => ({ target_biomass: 4, target_temperature: 28 }),
  });
  return evaluated?.type === 'start' || evaluated?.type === 'update' ? evaluated.options : {};
}

const declarationOf = (job: string) => builtInJobs.find(({ name }) => name === job);

/** The options of a start, as the job declares them. */
function optionsOf(job: string, automation: Json | undefined): JobOptions | undefined {
  const declaration = declarationOf(job);
  if (declaration?.variants === undefined) return declaration?.options;
  const variant = declaration.variants[String(automation)];
  return variant && { automation_name: { type: 'string' }, ...declaration.options, ...variant.options };
}

const settingOf = (job: string, name: string): JobSettingDeclaration | undefined =>
  [declarationOf(job), ...Object.values(declarationOf(job)?.variants ?? {})]
    .map((part) => part?.settings[name])
    .find((setting) => setting !== undefined && !setting.readOnly);

function accepts(declaration: JobOptionDeclaration | JobSettingDeclaration | undefined, value: Json): boolean {
  if (declaration === undefined || declaration.type === 'json') return false;
  if (declaration.type === 'boolean' || declaration.type === 'string') return typeof value === declaration.type;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = declaration;
  return typeof value === 'number' && value >= min && value <= max;
}

it('has ten profiles with a name, a description and a valid file name each', () => {
  expect(new Set(profileLibrary.map(({ experiment_profile_name: name }) => name)).size).toBe(10);
  for (const { filename, text, ...said } of profileLibrary) {
    expect(validateProfileFileName(filename)).toEqual({ ok: true, filename });
    const { experiment_profile_name, metadata } = validProfile(text);
    expect({ experiment_profile_name, description: metadata.description }).toEqual(said);
    expect(said.description).toMatch(/^[A-Z].*\.$/);
  }
});

describe.each(profileLibrary.map(({ filename, text }) => [filename, text] as const))('%s', (_, text) => {
  const profile = validProfile(text);
  const actions = [...actionsByPath(profile)].flatMap(([path, { job, action }]) =>
    isBasicAction(action) ? [{ path, job, action }] : [],
  );

  it('begins with what it does, what to adapt, what it needs and what it measures', () => {
    expect(text).toMatch(/^# [A-Z].+\n#\n# Adapt: .+\n(#.*\n)*# Needs: .+\n(#.*\n)*# Measures: .+\n/);
  });

  it('is carried out in full by this version', () => {
    expect(unsupportedParts(profile)).toEqual([]);
  });

  it('starts jobs with options that they have, within their ranges', () => {
    for (const { path, job, action } of actions.filter((each) => each.action.type === 'start')) {
      const values = valuesOf(profile, job, action);
      const declared = optionsOf(job, values.automation_name);
      expect(declared, path).toBeDefined();
      for (const [name, value] of Object.entries(values))
        expect(accepts(declared?.[name], value), `${path}: ${name}=${String(value)}`).toBe(true);
      const required = Object.entries(declared ?? {}).filter(([, option]) => option.required);
      expect(Object.keys(values)).toEqual(expect.arrayContaining(required.map(([name]) => name)));
    }
  });

  it('changes settings that people may change, within their ranges', () => {
    for (const { path, job, action } of actions.filter((each) => each.action.type === 'update'))
      for (const [name, value] of Object.entries(valuesOf(profile, job, action)))
        expect(accepts(settingOf(job, name), value), `${path}: ${name}=${String(value)}`).toBe(true);
  });
});
