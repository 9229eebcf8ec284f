import type {
  AutomationDescriptor,
  Capability,
  DescribedSetting,
  DistinctCapabilities,
  JobDescriptor,
  Json,
} from '@lcs/contract';
import { biomassSignalNames, biomassSignalSetting } from '@lcs/domain';
import { plainSentence, plainWords } from '../api/plain-words.ts';
import { labelFromName } from '../forms/field-rules.ts';
import type { Refusal } from '../tasks/unit-answers.ts';
import { digitsText } from '../ui/number-text.ts';
import { jobFormsWords } from '../words/job-forms.ts';
import { automationFields, fieldOfOption, type StartField, type StartForm, type StartVariant } from './job-forms.ts';
import { commonLastUsed, isByPerson, ranAlike } from './last-used.ts';

/** A job as the web UI shows it, with its form and settings. */
export interface ShownJob {
  readonly name: string;
  readonly title: string;
  readonly help: string;
  /** The plugin of the job; `null`: it is built in. */
  readonly plugin: string | null;
  readonly form: StartForm;
  /** Values of a running job that are shown and changed. */
  readonly settings: readonly ShownSetting[];
  /** The setting whose value is shown next to the name. */
  readonly subtext: string | null;
  /** Why it cannot be started on this unit; `null`: it can, as far as is known. */
  readonly missing: string | null;
  /** When the leader sent the values of the last run that the form proposes, in milliseconds; 0: not yet. */
  readonly asOfMs: number;
}

/** A published value; `choices`: the values that it may be changed to, where they are a list. */
export interface ShownSetting extends DescribedSetting {
  readonly choices: readonly string[];
}

/** The automations of the jobs `<kind>_automation`. */
export const automationKinds = ['temperature', 'dosing', 'led'] as const;
export type AutomationKind = (typeof automationKinds)[number];

const kindOfJob = (job: string): AutomationKind | undefined =>
  automationKinds.find((kind) => job === `${kind}_automation`);

export interface JobFacts {
  readonly descriptors: readonly JobDescriptor[];
  readonly automations: Readonly<Partial<Record<AutomationKind, readonly AutomationDescriptor[]>>>;
  /** The capabilities that the unit reports; `undefined`: not reported yet. */
  readonly capabilities: readonly Capability[] | undefined;
  /** When the leader sent them, in milliseconds; 0: not yet. */
  readonly asOfMs: number;
}

const unknownHere = (what: string): string => jobFormsWords.unitDoesNotKnow(what);

const missingOf = (capability: Capability): string | null =>
  capability.available === false ? (capability.reason ?? jobFormsWords.boardPartSilent) : null;

function variantsOf(
  descriptor: JobDescriptor,
  automations: readonly AutomationDescriptor[],
  own: readonly Capability[] | undefined,
): readonly StartVariant[] {
  const described = automations.map((automation) => ({ name: automation.automation_name, automation }));
  const undescribed = (own ?? []).flatMap(({ automation_name: name }) =>
    name === undefined || described.some((each) => each.name === name) ? [] : [{ name, automation: undefined }],
  );
  return [...described, ...undescribed].map(({ name, automation }) => {
    const capability = own?.find(({ automation_name }) => automation_name === name);
    const isUnknown = own !== undefined && capability === undefined;
    return {
      name,
      label: automation?.display_name ?? labelFromName(name),
      help: automation?.description ?? capability?.help ?? '',
      lastRun:
        capability?.last_used === undefined
          ? null
          : { atMs: Date.parse(capability.last_used.ended_at), isByPerson: isByPerson(capability.last_used) },
      fields: automationFields(automation, capability, descriptor.published_settings),
      missing: isUnknown ? unknownHere('it') : capability === undefined ? null : missingOf(capability),
    };
  });
}

function plainFields(descriptor: JobDescriptor, own: readonly Capability[] | undefined): readonly StartField[] {
  const capability = own?.find(({ automation_name }) => automation_name === undefined);
  return (capability?.options ?? [])
    .filter(({ is_developer }) => is_developer !== true)
    .map((option) =>
      fieldOfOption(
        option,
        descriptor.published_settings.find(({ key }) => key === option.name),
        capability?.last_used,
      ),
    );
}

/** Why no kind of the job can be started. */
function missingOfJob(descriptor: JobDescriptor, own: readonly Capability[] | undefined): string | null {
  if (own === undefined) return null;
  if (own.length === 0) return unknownHere(descriptor.display_name);
  const reasons = own.map(missingOf).filter((reason) => reason !== null);
  return reasons.length < own.length ? null : [...new Set(reasons)].join(' ');
}

/** Limits that the descriptor leaves open are those of the option of the same name. */
function settingsOf(
  { published_settings }: JobDescriptor,
  own: readonly Capability[] | undefined,
): readonly ShownSetting[] {
  const options = (own ?? []).flatMap((capability) => capability.options);
  return published_settings
    .filter(({ display }) => display)
    .map((setting) => {
      const option = options.find(({ name }) => name === setting.key);
      return {
        ...setting,
        min: setting.min ?? option?.min ?? null,
        max: setting.max ?? option?.max ?? null,
        choices: setting.key === biomassSignalSetting ? biomassSignalNames : (option?.choices ?? []),
      };
    });
}

/** The jobs that people see, in the order of the descriptors, as one unit can do them. */
export function shownJobs({ descriptors, automations, capabilities, asOfMs }: JobFacts): readonly ShownJob[] {
  return descriptors
    .filter(({ display }) => display)
    .map((descriptor) => {
      const { job_name, display_name, description, source, subtext } = descriptor;
      const own = capabilities?.filter((capability) => capability.job_name === job_name);
      const kind = kindOfJob(job_name);
      return {
        name: job_name,
        title: display_name,
        help: description ?? '',
        plugin: source === null || source === 'app' ? null : source,
        form: {
          fields: kind === undefined ? plainFields(descriptor, own) : [],
          variants: kind === undefined ? [] : variantsOf(descriptor, automations[kind] ?? [], own),
          isWhole: own !== undefined,
        },
        settings: settingsOf(descriptor, own),
        subtext,
        missing: missingOfJob(descriptor, own),
        asOfMs,
      };
    });
}

const keyOf = ({ job_name, automation_name }: Capability): string => `${job_name}\n${automation_name ?? ''}`;

/** Defaults that differ by unit, as text. */
function joinedDefault(one: Json, other: Json): Json {
  if (one === null || other === null) return null;
  const [present, next] = [one, other].map((value) => (typeof value === 'number' ? digitsText(value, 4) : `${value}`));
  return `${present}`.split(jobFormsWords.joinedDefaults('', '')).includes(`${next}`)
    ? one
    : jobFormsWords.joinedDefaults(`${present}`, `${next}`);
}

/** A capability with the configured defaults of another unit, too. */
const withCommonDefaults = (capability: Capability, other: Capability): Capability => ({
  ...capability,
  options: capability.options.map((option) => {
    const same = other.options.find(({ name }) => name === option.name);
    return same === undefined || same.default === option.default
      ? option
      : { ...option, default: joinedDefault(option.default, same.default) };
  }),
});

/** The capabilities of at least one of several units; `undefined`: no unit has reported any. */
export function capabilitiesOfAny(
  units: readonly (readonly Capability[] | undefined)[],
): readonly Capability[] | undefined {
  const known = units.filter((each) => each !== undefined);
  if (known.length === 0) return undefined;
  const all = new Map<string, Capability>();
  for (const capability of known.flat()) {
    const before = all.get(keyOf(capability));
    const isBetter = before === undefined || before.available === false;
    all.set(
      keyOf(capability),
      before === undefined
        ? capability
        : withCommonDefaults(isBetter ? capability : before, isBetter ? before : capability),
    );
  }
  return [...all.values()].map(({ last_used: _, ...capability }) => {
    // A mode is chosen for all of them: what only some had last is no proposal.
    if (capability.automation_name !== undefined && !ranAlike(units, capability.job_name)) return capability;
    const same = units.map((unit) => unit?.find((each) => keyOf(each) === keyOf(capability))?.last_used);
    const common = commonLastUsed(same);
    return { ...capability, ...(common !== undefined && { last_used: common }) };
  });
}

/** The capabilities of one unit among those of all; undefined: it has not reported them. */
export const capabilitiesOf = (
  known: DistinctCapabilities | undefined,
  unit: string,
): readonly Capability[] | undefined => known?.groups.find(({ units }) => units.includes(unit))?.capabilities;

const lastUsedIn = ({
  settings,
  biomass_scale,
  experiment,
  job_source,
  ended_at,
}: DistinctCapabilities['last_used'][number]): NonNullable<Capability['last_used']> => ({
  settings,
  ended_at,
  ...(biomass_scale !== undefined && { biomass_scale }),
  ...(experiment !== undefined && { experiment }),
  ...(job_source !== undefined && { job_source }),
});

/** The same with the values of the last run of each job on the unit. */
export function capabilitiesWithLastUsed(
  known: DistinctCapabilities | undefined,
  unit: string,
): readonly Capability[] | undefined {
  const lastUsed = known?.last_used.filter(({ reactor_unit }) => reactor_unit === unit) ?? [];
  const capabilities = capabilitiesOf(known, unit);
  if (lastUsed.length === 0) return capabilities;
  return capabilities?.map((capability) => {
    const { job_name, automation_name } = capability;
    const last = lastUsed.find((each) => each.job_name === job_name && each.automation_name === automation_name);
    return last === undefined ? capability : { ...capability, last_used: lastUsedIn(last) };
  });
}

/** A new answer, with what units that are away now had reported before. */
export function keptCapabilities(
  before: DistinctCapabilities | undefined,
  { groups, last_used, failed }: DistinctCapabilities,
): DistinctCapabilities {
  const kept = (before?.groups ?? [])
    .map(({ units, capabilities }) => ({ units: units.filter((unit) => failed.includes(unit)), capabilities }))
    .filter(({ units }) => units.length > 0);
  const keptLast = (before?.last_used ?? []).filter(({ reactor_unit }) => failed.includes(reactor_unit));
  return { groups: [...groups, ...kept], last_used: [...last_used, ...keptLast], failed };
}

/** A refusal that names the job by its title instead of its name in the API. */
export function refusalWithTitle<Each extends Refusal>(
  refusal: Each,
  { name, title }: Pick<ShownJob, 'name' | 'title'>,
): Each {
  // A name such as `stirring` may also be an ordinary word of the sentence.
  if (!name.includes('_')) return refusal;
  const plain = plainWords(name);
  const names = new RegExp([name, plain, plainSentence(name)].join('|'), 'g');
  const { error, cause } = refusal;
  return { ...refusal, error: error.replaceAll(names, () => title), cause: cause.replaceAll(names, () => title) };
}
