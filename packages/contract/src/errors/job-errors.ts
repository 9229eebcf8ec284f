import { define } from './error-definition.ts';

/** Errors of jobs, on the unit or on the way to it. */
export const jobErrors = {
  job_unknown: define<{ job: string }>(404, ({ job }) => ({
    error: `This unit has no job ${job}.`,
    cause: `Neither the program nor a plugin of this unit defines it.`,
    remediation: 'List /unit_api/capabilities and pick one of them.',
  })),
  job_requested_recently: define<{ job: string; retryAfterMs: number; retryAfterS: number }>(
    429,
    ({ job, retryAfterMs }) => ({
      error: `${job} was requested a moment ago.`,
      cause: 'The same job may be requested once a second.',
      remediation: `Wait ${Math.ceil(retryAfterMs)} ms and check the running jobs before you try again.`,
    }),
  ),
  job_options_invalid: define<{ job: string; cause: string; option?: string | undefined }>(
    400,
    ({ job, cause, option }) => ({
      error: `The options of ${job} are not valid.`,
      cause,
      remediation: 'Correct the value, or leave it out: then the configured one is used.',
      field: option,
    }),
  ),
  job_already_running: define<{ job: string; jobId: number | null }>(409, ({ job, jobId }) => ({
    error: `${job} is already running.`,
    cause: `${job} is already running (${jobId === null ? 'it is being started' : `job_id=${jobId}`}).`,
    remediation: 'Change its settings, or stop it first.',
  })),
  job_excluded: define<{ job: string; running: string }>(409, ({ job, running }) => ({
    error: `${job} cannot run beside ${running}.`,
    cause: `${running} runs, and both need the same hardware.`,
    remediation: `Wait until ${running} has ended, or stop it, then start ${job} again.`,
  })),
  job_without_experiment: define<{ job: string }>(409, ({ job }) => ({
    error: `${job} needs an experiment.`,
    cause: 'This unit is assigned to no experiment, and the request names none.',
    remediation: 'Assign the unit to an experiment first.',
  })),
  unit_not_active: define<{ unit: string }>(409, ({ unit }) => ({
    error: `${unit} is not active.`,
    cause: 'Jobs of experiments do not start on an inactive unit.',
    remediation: 'Activate the unit in the inventory first.',
  })),
  job_hardware_missing: define<{ job: string; missing: string }>(409, ({ job, missing }) => ({
    error: `${job} cannot run on this unit now.`,
    cause: missing,
    remediation: 'Connect or repair the missing part, then start the job again: each start checks the board.',
  })),
  calibration_unsuitable: define<{
    job: string;
    calibration: string;
    device: string;
    quantity: string;
    expected: string;
  }>(409, ({ job, calibration, device, quantity, expected }) => ({
    error: `${job} cannot use the active calibration.`,
    cause: `The calibration ${calibration} of ${device} is of ${quantity}, and must be of ${expected}.`,
    remediation: `Activate a calibration of ${device} that is of ${expected}, or deactivate ${calibration}.`,
  })),
  blank_and_calibration: define<{ job: string; calibration: string }>(409, ({ job, calibration }) => ({
    error: `${job} was not started: an optical density is either blanked or calibrated.`,
    cause: `This experiment has a blank, or would get one, and ${calibration} is active.`,
    remediation: `Delete the blank (od_blank delete), or deactivate ${calibration}.`,
  })),
  reactor_model_unknown: define<{ job: string }>(409, ({ job }) => ({
    error: `${job} must not heat: the limits of the reactor are unknown.`,
    cause: 'The model of this unit is not known.',
    remediation: 'Choose the model of this unit, then start it again.',
  })),
  pumps_refused: define<{ job: string; cause: string; remediation: string }>(409, ({ job, cause, remediation }) => ({
    error: `${job} was not started: no pump has run.`,
    cause,
    remediation,
  })),
  dilution_not_confirmed: define<{ job: string; cause: string }>(409, ({ job, cause }) => ({
    error: `${job} was not started or changed: the pumps may dilute the culture at once.`,
    cause,
    remediation:
      'Check the target, the scale of the biomass signal, the exchange volume and the interval. To continue, repeat the request with `confirm_dilution: true`.',
  })),
  biomass_scales_differ: define<{ scales: string }>(409, ({ scales }) => ({
    error: 'The units measure the biomass on different scales: one target would mean different densities.',
    cause: `The scales are: ${scales}. Nothing was changed on any unit.`,
    remediation: 'Name a biomass signal with the same scale on all of these units, or address each unit separately.',
  })),
  job_start_overtaken: define<{ job: string }>(409, ({ job }) => ({
    error: `${job} was not started.`,
    cause: 'A stop was requested after this start, and a stop takes precedence.',
    remediation: 'Start it again if it is still needed.',
  })),
  job_of_other_experiment: define<{ job: string; experiment: string; current: string | null }>(
    409,
    ({ job, experiment, current }) => ({
      error: `${job} was not started.`,
      cause:
        current === null
          ? `The start is for ${experiment}; this unit is in no experiment now.`
          : `The start is for ${experiment}; this unit is in ${current} now.`,
      remediation: 'Check which experiment the unit is assigned to, then start the job there.',
    }),
  ),
  job_start_timeout: define<{ job: string; limitMs: number }>(504, ({ job, limitMs }) => ({
    error: `${job} did not become ready.`,
    cause: `It was not ready within ${limitMs} ms and has been ended.`,
    remediation: "Read this unit's log, check the hardware, then start it again.",
  })),
  job_cannot_pause: define<{ job: string }>(409, ({ job }) => ({
    error: `${job} cannot be paused, and has been ended instead.`,
    cause: 'A part of its work cannot be continued later. Its outputs are off.',
    remediation: `Start ${job} again when you want to continue.`,
  })),
  job_failed: define<{ job: string; cause: string }>(500, ({ job, cause }) => ({
    error: `${job} failed.`,
    cause,
    remediation: "Read this unit's log, remove the cause, then start it again.",
  })),
  jobs_still_running: define<{ jobs: string }>(500, ({ jobs }) => ({
    error: 'Not every job could be stopped.',
    cause: `Still running: ${jobs}.`,
    remediation: "Stop again; if that fails, restart the unit's service. Its outputs are safe while it is down.",
  })),
  job_filter_missing: define(400, () => ({
    error: 'Which jobs?',
    cause: 'The request has no filter.',
    remediation: 'Send at least one of job_name, experiment, job_source, job_id, or stop all.',
  })),
  job_not_running: define<{ job: string }>(404, ({ job }) => ({
    error: `${job} is not running.`,
    cause: `No running job ${job} on this unit has live settings.`,
    remediation: 'Start it (/unit_api/jobs/running lists what runs).',
  })),
  job_setting_not_published: define<{ job: string; setting: string }>(404, ({ job, setting }) => ({
    error: `${job} does not publish ${setting}.`,
    cause: 'The job has no such setting, or it has no value now.',
    remediation: 'List its settings and choose one of them.',
  })),
  job_setting_invalid: define<{ job: string; setting: string; cause: string }>(400, ({ job, setting, cause }) => ({
    error: `${setting} of ${job} has an invalid value.`,
    cause,
    remediation: 'Nothing was changed. Compare the value with the type and range of the setting.',
    field: setting,
  })),
  idempotency_key_reused: define(409, () => ({
    error: 'The idempotency key belongs to another request.',
    cause: 'The same Idempotency-Key was sent with another method, path or body within 24 hours.',
    remediation: 'Use a new key for each new command.',
  })),
  job_target_not_found: define<{ unit: string; experiment: string }>(404, ({ unit, experiment }) => ({
    error:
      unit === '$broadcast'
        ? `No active worker is assigned to ${experiment}.`
        : `${unit} was not found, is not active, or is not assigned to ${experiment}.`,
    cause: 'Jobs start on active workers of their experiment only.',
    remediation: 'Assign a worker to the experiment and make it active, then start the job.',
  })),
  job_target_inactive: define<{ unit: string }>(409, ({ unit }) => ({
    error: `${unit} is not active, so nothing was started on any unit.`,
    cause: 'Jobs start on active workers only.',
    remediation: `Leave ${unit} out of the chosen units, or make it active, then start the job again.`,
  })),
  job_experiment_ended: define<{ experiment: string }>(409, ({ experiment }) => ({
    error: `${experiment} has ended.`,
    cause: 'Its units were kept for it, and jobs of units start only in an experiment that has not ended.',
    remediation: 'Nothing was started. Reopen the experiment, or assign the units to another one, then start the job.',
  })),
  job_name_invalid: define<{ name: string }>(400, ({ name }) => ({
    error: `'${name}' is not a valid name of a job or a setting.`,
    cause: 'Such a name has letters, digits and underscores, and starts with a letter.',
    remediation: 'List the capabilities of the unit and pick one of its jobs and settings.',
  })),
} as const;
