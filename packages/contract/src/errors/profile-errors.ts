import { define } from './error-definition.ts';

/** Errors of experiment profiles. */
export const profileErrors = {
  profile_unreadable: define<{ first: string; faults: number }>(400, ({ first, faults }) => ({
    error: `This is not a valid experiment profile. ${first}`,
    cause: faults > 1 ? `The text has ${faults} faults: see the findings.` : 'The text has one fault.',
    remediation: 'Nothing was saved. Correct them, then save again.',
  })),
  profile_invalid: define<{ faults: number }>(400, ({ faults }) => ({
    error: 'The profile cannot be executed.',
    cause: faults === 1 ? 'It has one invalid term.' : `It has ${faults} invalid terms.`,
    remediation: 'Nothing was saved. Correct them, then try again.',
  })),
  profile_name_invalid: define<{ filename: string; cause: string }>(400, ({ filename, cause }) => ({
    error: `'${filename}' is not a valid profile name.`,
    cause,
    remediation:
      "Nothing was saved. A valid name has letters, digits, '.', '_', '-' and single spaces inside, and ends in '.yaml' or '.yml': 'warm-up.yaml'.",
  })),
  profile_exists: define<{ filename: string }>(400, ({ filename }) => ({
    error: `There is a profile ${filename} already.`,
    cause: 'A new profile does not replace another one.',
    remediation: 'Nothing was saved. Choose another name, or change the existing profile.',
  })),
  profile_not_found: define<{ filename: string }>(404, ({ filename }) => ({
    error: `Profile ${filename} does not exist.`,
    cause: 'The folder of profiles has no such YAML file.',
    remediation:
      'Choose one of those that the leader has: lcs profiles list, or the page Protocols. Save a file of this computer first: lcs profiles save FILE.',
  })),
  profile_changed: define<{ filename: string }>(412, ({ filename }) => ({
    error: `${filename} was changed by someone else.`,
    cause: 'The file differs from the version in If-Match.',
    remediation: 'Nothing was saved. Read the profile again, repeat your changes, then save.',
  })),
  profiles_unreadable: define<{ cause: string }>(500, ({ cause }) => ({
    error: 'The folder of profiles cannot be used.',
    cause: `experiment_profiles: ${cause}.`,
    remediation:
      'Nothing was changed. Check the folder in the data folder of the leader: it must be readable and writable.',
  })),
  profile_not_supported: define<{ filename: string; cause: string }>(400, ({ filename, cause }) => ({
    error: `${filename} cannot be run: ${cause}`,
    cause: 'This version does not support all actions of profiles.',
    remediation: 'Nothing was started. Remove these parts, or perform them by hand.',
  })),
  rehearsal_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'This cannot be rehearsed.',
    cause,
    remediation: 'Correct the request, then send it again.',
  })),
  profile_plugin_missing: define<{ filename: string; cause: string }>(409, ({ filename, cause }) => ({
    error: `${filename} needs a plugin that is not installed.`,
    cause,
    remediation: 'Nothing was started. Install the plugin on the leader and its units, then run the profile again.',
  })),
  profile_not_given: define<{ cause: string }>(400, ({ cause }) => ({
    error: "The request must have either 'filename' or 'body'.",
    cause,
    remediation: 'Send the name of a saved profile, or the text of a profile.',
  })),
  profile_preflight_failed: define<{ filename: string; findings: readonly string[] }>(
    409,
    ({ filename, findings }) => ({
      error: `The check before the start of ${filename} has failed.`,
      cause: findings.join(' '),
      remediation:
        'Nothing was started. Correct these findings and start again, or start with the option ignore-findings.',
    }),
  ),
  profile_run_not_found: define<{ run: string; experiment: string }>(404, ({ run, experiment }) => ({
    error: `${experiment} has no run ${run}.`,
    cause: 'The experiment has no run with this ID, or it is too old and was deleted.',
    remediation: 'List /api/experiments/{experiment}/experiment_profiles/recent and pick one of them.',
  })),
  profile_run_ended: define<{ run: string }>(409, ({ run }) => ({
    error: `This run of ${run} has ended.`,
    cause: 'Only a run that has not ended can be paused, resumed, stopped or skipped.',
    remediation: 'Nothing was changed. Start the profile again if it should continue.',
  })),
  profile_run_paused: define<{ run: string }>(409, ({ run }) => ({
    error: `${run} is already paused.`,
    cause: 'A person has paused it, or it asks about an action that was missed.',
    remediation: 'Nothing was changed. Resume it when it should continue.',
  })),
  profile_run_not_paused: define<{ run: string }>(409, ({ run }) => ({
    error: `${run} is not paused.`,
    cause: 'Only a paused run can be resumed.',
    remediation: 'Nothing was changed. Pause it first if it should be delayed.',
  })),
  profile_item_not_waiting: define<{ path: string; iteration: number; unit: string }>(
    404,
    ({ path, iteration, unit }) => ({
      error: `${path} (iteration ${iteration}) does not wait on ${unit}.`,
      cause: 'It has ended, it is not next in its loop or wait, or the run has no such item.',
      remediation: 'Nothing was changed. Read the run and pick an item of `waiting`.',
    }),
  ),
  profile_conflict: define<{ filename: string; other: string; jobs: string }>(409, ({ filename, other, jobs }) => ({
    error: `${filename} cannot run beside ${other}.`,
    cause: `Both change ${jobs}.`,
    remediation:
      'Nothing was started. Stop the other run, wait for its end, or remove these jobs from one of the profiles.',
  })),
  profile_experiment_ended: define<{ experiment: string }>(409, ({ experiment }) => ({
    error: `${experiment} has ended.`,
    cause: 'A profile runs only in an experiment that has not ended.',
    remediation: 'Nothing was started. Reopen the experiment, or create another one.',
  })),
  profile_experiment_unknown: define<{ experiment: string }>(404, ({ experiment }) => ({
    error: `There is no experiment ${experiment}.`,
    cause: 'A profile runs in an experiment.',
    remediation: 'Nothing was started. Create the experiment and assign units to it first.',
  })),
} as const;
