import { define } from './error-definition.ts';

/** Errors of datasets and exports. */
export const datasetErrors = {
  dataset_not_found: define<{ dataset: string }>(404, ({ dataset }) => ({
    error: `There is no dataset '${dataset}'.`,
    cause: 'Neither the program nor a file in the data folder defines it.',
    remediation: 'List the datasets with GET /api/datasets/exportable.',
  })),
  datasets_unknown: define<{ datasets: readonly string[] }>(400, ({ datasets }) => ({
    error: 'There is nothing to export.',
    cause:
      datasets.length === 0
        ? 'No dataset is named.'
        : `None of these is a dataset: ${datasets.map((name) => `'${name}'`).join(', ')}.`,
    remediation: 'Choose at least one dataset (GET /api/datasets/exportable lists them).',
  })),
  export_time_invalid: define<{ field: string; text: string }>(400, ({ field, text }) => ({
    error: `${field} is not a valid time.`,
    cause: `Expected a date and time with a time zone, got '${text}'.`,
    remediation: `Send ${field} like 2026-05-02T09:14:03.120Z or 2026-05-02T11:14:03+02:00, or leave it out.`,
  })),
  export_window_reversed: define<{ start: string; end: string }>(400, ({ start, end }) => ({
    error: 'The time window ends before it starts.',
    cause: `start_time is ${start} and end_time is ${end}.`,
    remediation: 'Send a start_time that is not after end_time.',
  })),
  dataset_unreadable: define<{ dataset: string; file?: string; cause: string }>(422, ({ dataset, file, cause }) => ({
    error: `The dataset '${dataset}' cannot be read.`,
    cause,
    remediation:
      file === undefined
        ? 'Correct the query and try again.'
        : `Correct the table or query in ${file}, or remove that file; then try again.`,
  })),
  dataset_too_slow: define<{ dataset: string; limitS: number }>(500, ({ dataset, limitS }) => ({
    error: `The dataset '${dataset}' could not be read in time.`,
    cause: `After ${limitS} s it had no rows, the time in which other queries ran before it included.`,
    remediation: 'Try again. If it fails again, ask for one experiment, or make the query of the dataset simpler.',
  })),
  export_short_of: define<{ what: string; hasMb: number; needsMb: number; isAtMost?: boolean }>(
    507,
    ({ what, hasMb, needsMb, isAtMost = false }) => ({
      error: `The leader ended the export to protect its own operation: ${what}.`,
      cause: `There are ${hasMb} MB, and an export needs ${isAtMost ? 'at most' : 'at least'} ${needsMb} MB.`,
      remediation:
        'Free some space, export fewer datasets or a shorter time, or change the limits in section [export].',
    }),
  ),
  too_many_exports: define<{ limit: number }>(429, ({ limit }) => ({
    error: 'Too many exports are waiting.',
    cause: `This session or token has ${limit} exports that have not ended. The leader runs one at a time.`,
    remediation: 'Wait for one of them to end, or cancel it; or request several datasets in one export.',
  })),
  export_failed: define<{ cause: string }>(500, ({ cause }) => ({
    error: 'The export failed.',
    cause,
    remediation: 'Try again. If it fails again, read the log of the leader.',
  })),
  export_still_running: define<{ taskId: string }>(500, ({ taskId }) => ({
    error: 'The export is not finished yet.',
    cause: 'This older route waits five minutes at most; the export continues.',
    remediation: `Poll /unit_api/task_results/${taskId}, and use POST /api/datasets/exportable/export next time.`,
  })),
  export_not_found: define<{ filename: string }>(404, ({ filename }) => ({
    error: `There is no finished export '${filename}'.`,
    cause: 'The name was never used, or the file was removed because of its age or for free space.',
    remediation: 'Export the data again.',
  })),
  range_not_satisfiable: define<{ size: number }>(416, ({ size }) => ({
    error: 'The file has no such bytes.',
    cause: `It is ${size} bytes long.`,
    remediation: 'Request a range that starts within the file, or the whole file.',
  })),
} as const;
