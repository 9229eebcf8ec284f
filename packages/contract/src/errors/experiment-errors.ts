import { define } from './error-definition.ts';

/** Errors of experiments. */
export const experimentErrors = {
  experiment_not_found: define<{ experiment: string }>(404, ({ experiment }) => ({
    error: `Experiment ${experiment} does not exist.`,
    cause: 'No experiment has this name (names are case-sensitive).',
    remediation: 'List /api/experiments and pick one of them.',
  })),
  experiment_name_taken: define<{ experiment: string }>(409, ({ experiment }) => ({
    error: 'The experiment name is taken.',
    cause: `${experiment} exists already.`,
    remediation: 'Pick another name.',
    field: 'experiment',
  })),
  experiment_name_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The experiment name cannot be used.',
    cause,
    remediation: 'Use 1 to 199 characters, for example letters, digits, blanks, dots, dashes or underscores.',
    field: 'experiment',
  })),
  tags_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The tags cannot be used.',
    cause,
    remediation: 'Send at most 50 tags of at most 100 characters, without control characters.',
    field: 'tags',
  })),
  ended_at_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The end of the experiment is not valid.',
    cause,
    remediation: 'Send true for now, a moment such as 2026-05-02T09:14:03.120Z between its creation and now, or null.',
  })),
  experiment_not_ended: define<{ experiment: string }>(409, ({ experiment }) => ({
    error: `Experiment ${experiment} was not archived.`,
    cause: 'It has not ended, and its jobs may run: lists without archived experiments would not show it.',
    remediation: 'End it first, which stops its jobs: send `ended_at: true`, also together with `archived: true`.',
    field: 'archived',
  })),
  groups_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The replicate groups cannot be used.',
    cause,
    remediation: 'Send groups with distinct names of 1 to 100 characters; each unit belongs to one group at most.',
  })),
  note_invalid: define<{ cause: string; field?: 'volume_ml' }>(400, ({ cause, field }) => ({
    error: 'The note cannot be used.',
    cause,
    remediation:
      'Send a text for a note; volume_ml and reactor_unit for sample_taken and media_added, of a sample no more than the vial holds; a timestamp that is not in the future.',
    ...(field !== undefined && { field }),
  })),
  note_outside_experiment: define<{ cause: string; field: 'timestamp' | 'reactor_unit' }>(409, ({ cause, field }) => ({
    error: 'The note is outside the experiment.',
    cause,
    remediation:
      'Correct the time or the unit, assign the unit first, or write a note without a unit, which may follow the end of the experiment.',
    field,
  })),
  note_not_found: define<{ note: string; experiment: string }>(404, ({ note, experiment }) => ({
    error: `Note ${note} does not exist.`,
    cause: `Experiment ${experiment} has no note with this number.`,
    remediation: `List /api/experiments/${experiment}/notes and pick one of them.`,
  })),
  note_changed: define<{ note: string; version: number; text: string; by: string | null }>(
    409,
    ({ note, version, text, by }) => ({
      error: 'Someone else has corrected the note meanwhile.',
      cause: `Note ${note} has version ${version} now${by === null ? '' : `, by ${by}`}: “${text}”`,
      remediation: 'Read the note again and repeat the correction with `based_on` of its version.',
    }),
  ),
  note_photo_invalid: define(400, () => ({
    error: 'The photo cannot be used.',
    cause: 'The file is not a JPEG, PNG or WebP picture.',
    remediation: 'Save the picture as JPEG, PNG or WebP and send it again.',
    field: 'photo',
  })),
  note_photo_not_found: define<{ note: string }>(404, ({ note }) => ({
    error: `Note ${note} has no photo.`,
    remediation: 'Read the note: its field `photo` is null without one.',
  })),
  note_photos_full: define<{ limitMb: number }>(409, ({ limitMb }) => ({
    error: 'There is no space for another photo.',
    cause: `The photos of all experiments together may have ${limitMb} MB.`,
    remediation: 'Remove photos, or delete an experiment that is not needed any more.',
  })),
  nothing_to_change: define<{ fields: string }>(400, ({ fields }) => ({
    error: 'Nothing to change.',
    cause: 'The body has none of the fields that can be changed.',
    remediation: `Send at least one of: ${fields}.`,
  })),
  chart_keys_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The chart selection cannot be used.',
    cause,
    remediation: 'Choose each chart once (GET /api/charts/descriptors lists their keys), or send null.',
  })),
  experiment_unknown: define<{ experiment: string }>(400, ({ experiment }) => ({
    error: `Unknown experiment: ${experiment}`,
    cause: 'No experiment has this name (names are case-sensitive).',
    remediation: 'List /api/experiments and pick one of them, or send $experiment for the cluster itself.',
  })),
} as const;
