import { define } from './error-definition.ts';

/** Errors of cameras. */
export const cameraErrors = {
  still_unknown: define<{ image: string; experiment: string }>(404, ({ image, experiment }) => ({
    error: `There is no still ${image} of ${experiment}.`,
    cause: 'This unit has no still with that name for this experiment. The names end in .jpg.',
    remediation: 'List the stills of the experiment; old ones are removed above the limit.',
  })),
  still_name_invalid: define<{ name: string }>(400, ({ name }) => ({
    error: `'${name}' cannot be the name of a still.`,
    cause: 'A name has 1 to 200 letters, digits, underscores, hyphens and dots, and does not begin with a dot.',
    remediation: 'Choose another name; .jpg is added automatically.',
  })),
  still_exists: define<{ image: string }>(409, ({ image }) => ({
    error: `There is a still ${image} already.`,
    cause: 'Two stills of a unit never have the same name.',
    remediation: 'Choose another name, or delete that still first.',
  })),
  /** Of tasks, not of routes. */
  capture_failed: define<{ cause: string }>(500, ({ cause }) => ({
    error: 'The still could not be taken.',
    cause,
    remediation: 'Check the camera and [camera] in the configuration, then try again.',
  })),
  unit_outside_experiment: define<{ unit: string; experiment: string }>(409, ({ unit, experiment }) => ({
    error: `${unit} is outside experiment ${experiment}.`,
    cause: `${unit} is not assigned to ${experiment} now, so a picture of its vial would not belong there.`,
    remediation: `Assign ${unit} to ${experiment}, or name the experiment that it is in.`,
  })),
  unit_still_in_experiment: define<{ unit: string }>(409, ({ unit }) => ({
    error: `${unit} is still in that experiment.`,
    cause: 'It may take more stills before it receives the deletion of the experiment.',
    remediation: 'Try again when the unit has applied the newest document of its leader.',
  })),
} as const;
