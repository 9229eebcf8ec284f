import { ledIntensityJob } from '../automations/automation-jobs.ts';
import { bioreactorKeys } from '../bioreactor/bioreactor-values.ts';
import { builtInJobs } from '../jobs/built-in-jobs.ts';
import type {
  JobDeclaration,
  JobOptionDeclaration,
  JobSettingDeclaration,
  JobVariant,
} from '../jobs/job-declaration.ts';

const jobs: ReadonlyMap<string, JobDeclaration> = new Map(builtInJobs.map((job) => [job.name, job]));

/** The names of the built-in jobs. */
export const knownJobNames: readonly string[] = [...jobs.keys()];

export const knownJob = (name: string): JobDeclaration | undefined => jobs.get(name);

/** Selects the variant of a job at its start. */
export const automationOption = 'automation_name';

/** The state of a job: every job has it, and it is not one of its settings. */
export const stateSetting = '$state';

/** A change of it is a start: it sets the channels and ends. */
export const isInstant = ({ name }: JobDeclaration): boolean => name === ledIntensityJob.name;

/** By name: the declarations of several variants. */
export type Declared<Declaration> = ReadonlyMap<string, readonly Declaration[]>;

function merged<Declaration>(parts: readonly Readonly<Record<string, Declaration>>[]): Declared<Declaration> {
  const all = new Map<string, Declaration[]>();
  for (const [name, declaration] of parts.flatMap((part) => Object.entries(part)))
    all.set(name, [...(all.get(name) ?? []), declaration]);
  return all;
}

/** The options of a start with one of these variants. The name of the automation is not among them. */
export const optionsOf = (
  { options }: JobDeclaration,
  variants: readonly JobVariant[],
): Declared<JobOptionDeclaration> => merged([options, ...variants.map((variant) => variant.options)]);

/** The settings of a job that runs one of these variants. */
export const settingsOf = (
  { settings, variants: all }: JobDeclaration,
  variants: readonly JobVariant[],
): Declared<JobSettingDeclaration> => {
  const ofAutomation = all === undefined ? {} : { [automationOption]: { type: 'string', readOnly: true } as const };
  return merged([settings, ofAutomation, ...variants.map((variant) => variant.settings)]);
};

const published = (job: JobDeclaration): ReadonlySet<string> =>
  new Set([stateSetting, ...settingsOf(job, Object.values(job.variants ?? {})).keys()]);

/** What expressions can read: settings by job, and the state of the vial, which has no job. Levels of outputs cannot be read. */
export const readableSettings: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...builtInJobs.map((job) => [job.name, published(job)] as const),
  ['bioreactor', new Set<string>(bioreactorKeys)],
]);
