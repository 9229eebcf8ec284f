import { define } from './error-definition.ts';

/** What may go wrong with experiment profiles. */
export const profileErrors = {
  profile_unreadable: define<{ first: string; faults: number }>(400, ({ first, faults }) => ({
    error: `This is no experiment profile. ${first}`,
    cause: faults > 1 ? `The text has ${faults} faults: the diagnostics list them all.` : 'The text has one fault.',
    remediation: 'Nothing was saved. Correct the places that the diagnostics name, then save again.',
  })),
  profile_invalid: define<{ faults: number }>(400, ({ faults }) => ({
    error: 'The profile cannot be carried out as it is written.',
    cause: faults === 1 ? 'One thing in it cannot mean anything.' : `${faults} things in it cannot mean anything.`,
    remediation: 'Nothing was saved. Correct the places that the diagnostics name, then try again.',
  })),
  profile_name_invalid: define<{ filename: string; cause: string }>(400, ({ filename, cause }) => ({
    error: `No profile can be called '${filename}'.`,
    cause,
    remediation: "Nothing was saved. Choose a name such as 'warm-up.yaml'.",
  })),
  profile_exists: define<{ filename: string }>(400, ({ filename }) => ({
    error: `There is a profile ${filename} already.`,
    cause: 'A new profile does not replace another one.',
    remediation: 'Nothing was saved. Choose another name, or change the profile that is there.',
  })),
  profile_not_found: define<{ filename: string }>(404, ({ filename }) => ({
    error: `There is no profile ${filename}.`,
    cause: 'The folder of profiles has no such YAML file.',
    remediation: 'List /api/experiment_profiles and pick one of them.',
  })),
  profile_changed: define<{ filename: string }>(412, ({ filename }) => ({
    error: `${filename} was changed by somebody else.`,
    cause: 'The file is not the one that If-Match names.',
    remediation: 'Nothing was saved. Read the profile again, put your changes into it, then save.',
  })),
  profiles_unreadable: define<{ cause: string }>(500, ({ cause }) => ({
    error: 'The folder of profiles cannot be used.',
    cause: `experiment_profiles: ${cause}.`,
    remediation:
      'Nothing was changed. Look at the folder in the data folder of the leader: it must be readable and writable.',
  })),
  profile_not_supported: define<{ filename: string; cause: string }>(400, ({ filename, cause }) => ({
    error: `${filename} cannot be run: ${cause}`,
    cause: 'This version does not carry out all that a profile may say.',
    remediation: 'Nothing was started. Leave these parts out, or carry them out by hand.',
  })),
  profile_plugin_missing: define<{ filename: string; cause: string }>(409, ({ filename, cause }) => ({
    error: `${filename} needs a plugin that is not here.`,
    cause,
    remediation: 'Nothing was started. Install the plugin on the leader and its units, then run the profile again.',
  })),
  profile_experiment_ended: define<{ experiment: string }>(409, ({ experiment }) => ({
    error: `${experiment} has ended.`,
    cause: 'A profile runs in an experiment that goes on.',
    remediation: 'Nothing was started. Let the experiment go on, or create another one.',
  })),
  profile_experiment_unknown: define<{ experiment: string }>(404, ({ experiment }) => ({
    error: `There is no experiment ${experiment}.`,
    cause: 'A profile runs in an experiment.',
    remediation: 'Nothing was started. Create the experiment and assign units to it first.',
  })),
} as const;
