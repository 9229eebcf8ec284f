import type { ProfileAction } from './profile.ts';

/**
 * The keys of a profile. Declared once: the reader accepts these and no others, and the JSON Schema for editors is made from them.
 */
export const profileKeys = [
  'version',
  'experiment_profile_name',
  'metadata',
  'plugins',
  'common',
  'reactors',
  'inputs',
  'late_actions',
] as const;
export const requiredProfileKeys = [
  'version',
  'experiment_profile_name',
] as const satisfies readonly (typeof profileKeys)[number][];

/** `reactors` in the spelling of a similar system, accepted on input. */
export const reactorsAlias = 'pioreactors';

export const metadataKeys = ['author', 'description'] as const;
export const pluginKeys = ['name', 'version'] as const;
export const commonKeys = ['jobs'] as const;
export const reactorKeys = ['label', 'jobs'] as const;
export const jobKeys = ['actions', 'description'] as const;
export const requiredJobKeys = ['actions'] as const satisfies readonly (typeof jobKeys)[number][];
export const logOptionKeys = ['message', 'level'] as const;
export const requiredLogOptionKeys = ['message'] as const satisfies readonly (typeof logOptionKeys)[number][];

/** Of every action. */
export const actionKeys = ['type', 'hours_elapsed', 't', 'if'] as const;

/** The further keys of each type of action. */
export const keysOfType = {
  log: ['options'],
  start: ['options', 'args', 'config_overrides'],
  update: ['options'],
  pause: [],
  resume: [],
  stop: [],
  repeat: ['repeat_every_hours', 'every', 'while', 'max_hours', 'max_time', 'actions'],
  when: ['condition', 'wait_until', 'actions'],
} as const satisfies Readonly<Record<ProfileAction['type'], readonly string[]>>;

export const isActionType = (word: string): word is ProfileAction['type'] => Object.hasOwn(keysOfType, word);

/** The one version of the language. */
export const languageVersion = '1.0';

export const jobNamePattern = /^[a-z][a-z0-9_]{0,63}$/;
