import { define } from './error-definition.ts';

/** Errors of calibrations, estimators and the sessions that make them. */
export const calibrationErrors = {
  artefact_name_invalid: define<{ field: string; cause: string }>(400, ({ field, cause }) => ({
    error: `The ${field} is not valid.`,
    cause: `${field}: ${cause}`,
    remediation:
      'Use at most 200 letters, digits, dots, underscores, hyphens and single inner blanks; the first character must not be . or -.',
  })),
  calibration_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The calibration is not valid.',
    cause,
    remediation: 'Correct the file and send it again. Nothing was stored.',
  })),
  estimator_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The estimator is not valid.',
    cause,
    remediation: 'Correct the file and send it again. Nothing was stored.',
  })),
  calibration_unusable: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The calibration cannot be used: its points show no relation.',
    cause,
    remediation:
      'Measure again with points that differ clearly. Check the vials, the LED, the tubes and the wiring first.',
  })),
  estimator_unusable: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The estimator cannot be used: its points show no relation.',
    cause,
    remediation:
      'Measure again with standards that differ clearly. Check the vials, the LED and the photodiodes first.',
  })),
  calibration_device_unknown: define<{ device: string }>(404, ({ device }) => ({
    error: `There are no calibrations of ${device}.`,
    cause: `This unit has no folder for ${device}.`,
    remediation: 'Check the name of the device; the list of all calibrations contains the valid names.',
  })),
  calibration_unknown: define<{ device: string; name: string }>(404, ({ device, name }) => ({
    error: `${device} has no calibration ${name}.`,
    cause: 'No file of this name is stored on the unit.',
    remediation: 'List the calibrations of the device and pick one of them.',
  })),
  estimator_unknown: define<{ device: string; name: string }>(404, ({ device, name }) => ({
    error: `${device} has no estimator ${name}.`,
    cause: 'No file of this name is stored on the unit.',
    remediation: 'List the estimators of the device and pick one of them.',
  })),
  artefact_unreadable: define<{ path: string; cause: string }>(500, ({ path, cause }) => ({
    error: 'The file cannot be used.',
    cause: `${path}: ${cause}`,
    remediation: 'Delete it, or store it again under the same name.',
  })),
  session_unknown: define<{ session: string }>(404, ({ session }) => ({
    error: 'There is no such calibration session.',
    cause: `The unit has no session ${session}: it never started, or has expired.`,
    remediation: 'Start a new session.',
  })),
  session_refused: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The session cannot start.',
    cause,
    remediation: 'Correct the cause, then start the session again.',
  })),
  session_exists: define<{ device: string; session: string; protocol: string; changed: string }>(
    409,
    ({ device, session, protocol, changed }) => ({
      error: `A session of ${device} is open already.`,
      cause: `The session of ${protocol} has been open since its last answer at ${changed}.`,
      remediation: `Continue that session, or abort it (POST …/calibrations/sessions/${session}/abort).`,
    }),
  ),
  session_busy: define(409, () => ({
    error: 'The session is busy.',
    cause: 'The work of the last request has not ended yet.',
    remediation: 'Wait until it has ended, or abort the session.',
  })),
  session_input_invalid: define<{ cause: string; field?: string | undefined }>(400, ({ cause, field }) => ({
    error: field === undefined ? cause : `${field}: ${cause}`,
    cause,
    remediation: 'Correct the input and send it again; the session is still at the same step.',
    field,
  })),
  session_action_failed: define<{ action: string; cause: string }>(400, ({ action, cause }) => ({
    error: `${action}: ${cause}`,
    cause,
    remediation: 'The outputs are off, and the session is still at the same step: correct the cause and try again.',
  })),
} as const;
