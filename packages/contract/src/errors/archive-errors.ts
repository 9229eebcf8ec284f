import { define } from './error-definition.ts';

/** Errors of sealed months. */
export const archiveErrors = {
  month_invalid: define<{ month: string }>(400, ({ month }) => ({
    error: 'This is not a month.',
    cause: `'${month}' is not written as year and month.`,
    remediation: 'Write it like 2026-08.',
  })),
  month_not_closed: define<{ month: string; closedAt: string }>(409, ({ month, closedAt }) => ({
    error: `${month} cannot be sealed yet.`,
    cause: 'Readings of it may still come from units that were away.',
    remediation: `Seal it after ${closedAt}.`,
  })),
  month_not_sealed: define<{ month: string }>(404, ({ month }) => ({
    error: `Nothing of ${month} is sealed.`,
    cause: 'Its readings are in the store, or it has none.',
    remediation: 'List the sealed months.',
  })),
  archive_place_invalid: define<{ place: string }>(400, ({ place }) => ({
    error: 'Months cannot be sealed there.',
    cause: `'${place}' is neither an absolute folder nor s3://bucket/prefix.`,
    remediation: 'Name a folder from the root on, or a bucket.',
  })),
  archive_failed: define<{ cause: string }>(500, ({ cause }) => ({
    error: 'The month was not moved completely.',
    cause,
    remediation: 'Nothing is lost. Remove the cause, then start it again: it continues.',
  })),
  experiment_sealed: define<{ months: readonly string[] }>(409, ({ months }) => ({
    error: 'Readings of this experiment are sealed.',
    cause: `Sealed months: ${months.join(', ')}. A recomputation reads the store alone.`,
    remediation: 'Unseal these months first.',
  })),
} as const;
