import { define } from './error-definition.ts';

/** What may go wrong with datasets and exports. */
export const datasetErrors = {
  dataset_not_found: define<{ dataset: string }>(404, ({ dataset }) => ({
    error: `There is no dataset '${dataset}'.`,
    cause: 'Neither the program nor a file of the data folder describes one of this name.',
    remediation: 'GET /api/datasets/exportable lists those that can be exported.',
  })),
  datasets_unknown: define<{ datasets: readonly string[] }>(400, ({ datasets }) => ({
    error: 'There is nothing to export.',
    cause:
      datasets.length === 0
        ? 'No dataset is named.'
        : `None of these is a dataset: ${datasets.map((name) => `'${name}'`).join(', ')}.`,
    remediation: 'Name at least one dataset of GET /api/datasets/exportable.',
  })),
  export_time_invalid: define<{ field: string; text: string }>(400, ({ field, text }) => ({
    error: `${field} is no moment.`,
    cause: `Expected a date and time with its zone, got '${text}'.`,
    remediation: `Send ${field} like 2026-05-02T09:14:03.120Z or 2026-05-02T11:14:03+02:00, or leave it out.`,
  })),
  export_window_reversed: define<{ start: string; end: string }>(400, ({ start, end }) => ({
    error: 'The time window ends before it begins.',
    cause: `start_time is ${start} and end_time is ${end}.`,
    remediation: 'Send a start_time that is not after end_time.',
  })),
  dataset_unreadable: define<{ dataset: string; file?: string; cause: string }>(422, ({ dataset, file, cause }) => ({
    error: `The dataset '${dataset}' cannot be read.`,
    cause,
    remediation:
      file === undefined
        ? 'Mend the query and ask again.'
        : `Mend the table or query in ${file}, or remove that file; then ask again.`,
  })),
  dataset_too_slow: define<{ dataset: string; limitS: number }>(500, ({ dataset, limitS }) => ({
    error: `The dataset '${dataset}' could not be read in time.`,
    cause: `Its first rows were not there after ${limitS} s.`,
    remediation: 'Ask for one experiment, or make the query of the dataset simpler.',
  })),
  export_short_of: define<{ what: string; hasMb: number; needsMb: number; isAtMost?: boolean }>(
    507,
    ({ what, hasMb, needsMb, isAtMost = false }) => ({
      error: `The export was ended to keep the leader working: ${what}.`,
      cause: `There are ${hasMb} MB, and an export needs ${isAtMost ? 'at most' : 'at least'} ${needsMb} MB.`,
      remediation: 'Make room, export fewer datasets or a shorter time, or change the limits in section [export].',
    }),
  ),
  export_failed: define<{ cause: string }>(500, ({ cause }) => ({
    error: 'The export failed.',
    cause,
    remediation: 'Try again. If it fails again, look into the log of the leader.',
  })),
  export_still_running: define<{ taskId: string }>(500, ({ taskId }) => ({
    error: 'The export is not finished yet.',
    cause: 'This older route waits five minutes at most; the export goes on.',
    remediation: `Poll /unit_api/task_results/${taskId}, and use POST /api/datasets/exportable/export next time.`,
  })),
  export_not_found: define<{ filename: string }>(404, ({ filename }) => ({
    error: `There is no finished export '${filename}'.`,
    cause: 'The name was never given, or the file was removed because it was old or room was needed.',
    remediation: 'Export the data again.',
  })),
  range_not_satisfiable: define<{ size: number }>(416, ({ size }) => ({
    error: 'The file has no such bytes.',
    cause: `It is ${size} bytes long.`,
    remediation: 'Ask for a range that begins within the file, or for the whole file.',
  })),
} as const;
