import type { Json } from '@lcs/contract';
import { lateActionPolicies, type ProfileAction, profileLogLevels } from './profile.ts';
import {
  actionKeys,
  commonKeys,
  isActionType,
  jobKeys,
  jobNamePattern,
  keysOfType,
  languageVersion,
  logOptionKeys,
  metadataKeys,
  pluginKeys,
  profileKeys,
  reactorKeys,
  reactorsAlias,
  requiredJobKeys,
  requiredLogOptionKeys,
  requiredProfileKeys,
} from './profile-keys.ts';

type Schema = Readonly<Record<string, Json>>;
type ActionType = ProfileAction['type'];
type ActionKey = (typeof actionKeys)[number] | (typeof keysOfType)[ActionType][number];

/** The keys of these names, each with its schema: one without a schema does not compile. */
const pick = <Key extends string>(keys: readonly Key[], schemas: Readonly<Record<Key, Schema>>): Schema =>
  Object.fromEntries(keys.map((key) => [key, schemas[key]]));

const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` });
const text = (description: string): Schema => ({ type: 'string', description });
const note = (description: string): Schema => ({ type: ['string', 'null'], description });
const hours = (description: string): Schema => ({ type: ['number', 'null'], description: `${description}, in hours.` });
const time = (description: string): Schema => ({ ...ref('time'), description });
const condition = (description: string): Schema => ({ ...ref('condition'), description });
const values = (description: string): Schema => ({ type: ['object', 'null'], description });
/** Without a value it is an empty list. */
const list = (items: Schema, description: string): Schema => ({ type: ['array', 'null'], items, description });
const by = (name: Schema, description: string): Schema => ({
  type: ['object', 'null'],
  additionalProperties: name,
  description,
});

const version: Schema = { const: languageVersion, description: 'The version of the profile language, in quotes.' };

const logLevels: Json = profileLogLevels.flatMap((level) => [level, level.toLowerCase()]);

const logOptions: Schema = {
  type: 'object',
  description: 'The message.',
  properties: pick(logOptionKeys, {
    message: text('The text; expressions in it stand in double braces after a dollar sign.'),
    level: { enum: [...logLevels, null], description: 'Default: NOTICE.' },
  }),
  required: [...requiredLogOptionKeys],
};

const actionSchemas: Readonly<Record<Exclude<ActionKey, 'type' | 'options' | 'actions'>, Schema>> = {
  hours_elapsed: hours("The time of the action; 't' is preferred"),
  t: time(
    'The time of the action, from the start of the profile, of the iteration, or from the moment of the condition.',
  ),
  if: condition('Evaluated when the action is due; if it does not hold, the action is skipped. Default: true.'),
  args: list({ type: ['string', 'number'] }, 'Arguments of the job.'),
  config_overrides: values('Values of section <job>.config for this run of the job.'),
  repeat_every_hours: hours("The period of the loop; 'every' is preferred"),
  every: time('The period of the loop.'),
  while: condition('Evaluated before each iteration; if it does not hold, the loop has ended. Default: true.'),
  max_hours: hours("The duration of the loop at most; 'max_time' is preferred"),
  max_time: time('The duration of the loop at most.'),
  condition: condition("Former name of 'wait_until'."),
  wait_until: condition('The actions follow once it holds.'),
};

const effects: Readonly<Record<ActionType, string>> = {
  log: 'Writes a message to the event log.',
  start: 'Starts the job.',
  update: 'Changes settings of the running job, one after the other.',
  pause: 'Pauses the running job.',
  resume: 'Resumes the paused job.',
  stop: 'Stops the job.',
  repeat: 'A loop: does its actions every period.',
  when: 'A wait: does its actions once the condition holds.',
};

const actionTypes: readonly ActionType[] = Object.keys(keysOfType).filter(isActionType);

const keysOf = (type: ActionType): readonly ActionKey[] => [...actionKeys, ...keysOfType[type]];

function actionSchema(type: ActionType): Schema {
  const options =
    type === 'log' ? logOptions : values('By name. A text in double braces after a dollar sign is an expression.');
  const nested = ref(type === 'repeat' ? 'basic_action' : 'action');
  const schemas: Readonly<Record<ActionKey, Schema>> = {
    ...actionSchemas,
    type: { const: type, description: effects[type] },
    options,
    actions: { type: 'array', items: nested, description: 'The actions, with times from the beginning of this.' },
  };
  const isRequired = (key: ActionKey): boolean =>
    key === 'type' || key === 'actions' || (key === 'options' && type === 'log');
  const keys = keysOf(type);
  return {
    type: 'object',
    description: effects[type],
    properties: pick(keys, schemas),
    required: keys.filter(isRequired),
    additionalProperties: false,
  };
}

/** Those that contain no actions: a loop may have no others. */
const basicTypes = actionTypes.filter((type) => !keysOf(type).includes('actions'));

/** One of these types. Each in its own branch, chosen by `type`, so that an editor reports the faults of that type only. */
const oneOf = (types: readonly ActionType[]): Schema => ({
  type: 'object',
  properties: { type: { enum: [...types] } },
  required: ['type'],
  allOf: types.map((type) => ({
    if: { properties: { type: { const: type } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: ref(`${type}_action`),
  })),
});

const jobSchema: Schema = {
  type: 'object',
  properties: pick(jobKeys, {
    actions: list(ref('action'), 'The actions on the job.'),
    description: note('For people.'),
  }),
  required: [...requiredJobKeys],
  additionalProperties: false,
};

const reactorSchema: Schema = {
  type: ['object', 'null'],
  properties: pick(reactorKeys, { label: note("The unit's label in the experiment."), jobs: ref('jobs') }),
  additionalProperties: false,
};

const reactors = by(reactorSchema, 'For single units, by name.');

const rootSchemas: Readonly<Record<(typeof profileKeys)[number], Schema>> = {
  version,
  experiment_profile_name: text('The name of the profile.'),
  metadata: {
    type: ['object', 'null'],
    properties: pick(metadataKeys, { author: note('Who wrote it.'), description: note('What it does.') }),
  },
  plugins: list(
    {
      type: 'object',
      properties: pick(pluginKeys, {
        name: text('The plugin.'),
        version: text("A version, or one after '==', '>=' or '<='."),
      }),
      required: [...pluginKeys],
    },
    'Plugins that the leader must have.',
  ),
  common: {
    type: ['object', 'null'],
    description: 'For all active units of the experiment.',
    properties: pick(commonKeys, { jobs: ref('jobs') }),
    additionalProperties: false,
  },
  reactors,
  inputs: values('Values of expressions, by name.'),
  late_actions: {
    enum: [...lateActionPolicies, null],
    description:
      'What becomes of starts, updates and resumes that were missed while the leader was off. Default: they are skipped.',
  },
};

/** JSON Schema (draft 2020-12) of the structure of a profile, for editors. `parseProfile` checks the meaning, too. */
export const profileSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Experiment profile',
  description: 'Timed actions on the jobs of an experiment.',
  type: 'object',
  properties: { ...pick(profileKeys, rootSchemas), [reactorsAlias]: reactors },
  required: [...requiredProfileKeys],
  additionalProperties: false,
  not: { required: ['reactors', reactorsAlias] },
  $defs: {
    time: { type: ['number', 'string', 'null'], description: 'A number of hours, or 10s, 15m, 1.5h, 2d.' },
    condition: { type: ['boolean', 'string', 'number', 'null'], description: 'true, false, or an expression.' },
    jobs: {
      type: ['object', 'null'],
      description: 'By the name of the job.',
      propertyNames: { pattern: jobNamePattern.source },
      additionalProperties: jobSchema,
    },
    action: oneOf(actionTypes),
    basic_action: oneOf(basicTypes),
    ...Object.fromEntries(actionTypes.map((type) => [`${type}_action`, actionSchema(type)])),
  },
};
