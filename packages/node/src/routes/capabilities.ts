import type { Capability } from '@lcs/contract';
import {
  biomassScaleSetting,
  isBiomassScale,
  type JobOptionDeclaration,
  type JobOptions,
  type JobSettings,
} from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { JobArgument, JobDefinition } from '../jobs/job-definition.ts';
import type { LastUsed } from '../jobs/job-registry.ts';

const typeOf = (option: JobOptionDeclaration): string => {
  if (option.type === 'string') return 'text';
  return option.type === 'float' && option.min !== undefined && option.max !== undefined ? 'float range' : option.type;
};

/** The limits of an option for a form, from itself or from its setting. */
function limitsOf(option: JobOptionDeclaration, setting: JobSettings[string] | undefined) {
  const unit = setting?.unit;
  const choices =
    (option.type === 'string' ? option.choices : undefined) ??
    (setting?.type === 'string' ? setting.choices : undefined);
  const range = { ...rangeOf(setting), ...rangeOf(option) };
  return {
    ...(unit !== undefined && { unit }),
    ...range,
    ...(choices !== undefined && { choices: [...choices] }),
  };
}

function rangeOf(declaration: JobOptionDeclaration | JobSettings[string] | undefined) {
  if (declaration?.type !== 'float' && declaration?.type !== 'integer') return {};
  const { min, max } = declaration;
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

/** The configured values of options that a start leaves out. */
export type OptionDefaults = Readonly<Record<string, number | string>>;

const optionsOf = (options: JobOptions, settings: JobSettings, defaults: OptionDefaults): Capability['options'] =>
  Object.entries(options).map(([name, option]) => ({
    name,
    long_flag: name.replaceAll('_', '-'),
    help: '',
    required: option.required ?? false,
    multiple: option.multiple ?? false,
    default: option.type === 'boolean' ? false : (defaults[name] ?? null),
    type: typeOf(option),
    ...limitsOf(option, settings[name]),
    ...(option.isDeveloper && { is_developer: true }),
  }));

const settingsOf = (settings: JobSettings): Capability['published_settings'] => ({
  ...Object.fromEntries(
    Object.entries(settings).map(([name, { type, readOnly, unit }]) => [
      name,
      { datatype: type, settable: readOnly !== true, ...(unit === undefined ? {} : { unit }) },
    ]),
  ),
  $state: { datatype: 'string', settable: true },
});

const argumentsOf = (takes: readonly JobArgument[] = []): Capability['arguments'] =>
  takes.map(({ name, isRequired, isList }) => ({ name, nargs: isList ? -1 : 1, required: isRequired, type: 'text' }));

function usedJobs(...lists: readonly (readonly string[] | undefined)[]): Pick<Capability, 'uses_jobs'> {
  const names = [...new Set(lists.flatMap((list) => list ?? []))];
  return names.length === 0 ? {} : { uses_jobs: names };
}

function capabilitiesOf(definition: JobDefinition, defaults: OptionDefaults): Capability[] {
  const { name, variants } = definition;
  if (variants === undefined) {
    return [
      {
        job_name: name,
        help: definition.help ?? '',
        arguments: argumentsOf(definition.takes),
        options: optionsOf(definition.options, definition.settings, defaults),
        published_settings: settingsOf(definition.settings),
        cli_example: `lcs run ${name}`,
        ...usedJobs(definition.usesJobs),
      },
    ];
  }
  return Object.entries(variants).map(([automation_name, variant]) => {
    const options = { ...definition.options, ...variant.options };
    const settings: JobSettings = {
      automation_name: { type: 'string', readOnly: true },
      ...definition.settings,
      ...variant.settings,
    };
    return {
      job_name: name,
      automation_name,
      help: variant.help ?? definition.help ?? '',
      arguments: [],
      options: optionsOf(options, settings, defaults),
      published_settings: settingsOf(settings),
      cli_example: `lcs run ${name} --automation-name ${automation_name}`,
      ...usedJobs(definition.usesJobs, variant.usesJobs),
    };
  });
}

/** What a job does with another word after its name; it publishes nothing. */
const commandsOf = ({ name, commands = [] }: JobDefinition): Capability[] =>
  commands.map(({ word, help, takes, options = {} }) => ({
    job_name: `${name} ${word}`,
    help,
    arguments: argumentsOf(takes),
    options: optionsOf(options, {}, {}),
    published_settings: {},
    cli_example: `lcs run ${name} ${word}`,
  }));

const sortKey = ({ job_name, automation_name = '' }: Capability): string => `${job_name}\n${automation_name}`;

/** Why a job cannot run on this node now, in a sentence; undefined: it can. */
export type Unavailable = (job: string, automation: string | undefined) => string | undefined;

function lastUsedOf(capability: Capability, all: readonly LastUsed[]): Pick<Capability, 'last_used'> {
  const { job_name, automation_name, options, published_settings } = capability;
  const found = all.find(({ jobName, automation }) => jobName === job_name && automation === automation_name);
  if (found === undefined) return {};
  const isOption = (name: string): boolean =>
    published_settings[name]?.settable === true && options.some((option) => option.name === name);
  const settings = Object.fromEntries(Object.entries(found.settings).filter(([name]) => isOption(name)));
  const scale = found.settings[biomassScaleSetting];
  return {
    last_used: {
      settings,
      ...(isBiomassScale(scale) && { biomass_scale: scale }),
      ...(found.experiment !== undefined && { experiment: found.experiment }),
      ...(found.jobSource !== undefined && { job_source: found.jobSource }),
      ended_at: toTimestamp(found.endedAtMs),
    },
  };
}

/** The startable jobs by name. Without `unavailable`, missing hardware is not reported. */
export const capabilities = (
  definitions: readonly JobDefinition[],
  unavailable?: Unavailable,
  lastUsed: readonly LastUsed[] = [],
  defaultsOf: (definition: JobDefinition) => OptionDefaults = () => ({}),
): readonly Capability[] => {
  const jobs = definitions
    .flatMap((definition) => capabilitiesOf(definition, defaultsOf(definition)))
    .map((capability) => ({ ...capability, ...lastUsedOf(capability, lastUsed) }))
    .map((capability) =>
      unavailable === undefined ? capability : { ...capability, ...availability(capability, unavailable) },
    );
  const commands = definitions
    .flatMap(commandsOf)
    .map((command) => ({ ...command, ...(unavailable !== undefined && { available: true }) }));
  return [...jobs, ...commands].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
};

function availability({ job_name, automation_name }: Capability, unavailable: Unavailable) {
  const reason = unavailable(job_name, automation_name);
  return reason === undefined ? { available: true } : { available: false, reason };
}
