import { define } from './error-definition.ts';

/** Errors of time series. */
export const seriesErrors = {
  data_source_unknown: define<{ dataSource: string; column: string; known: string }>(
    400,
    ({ dataSource, column, known }) => ({
      error: 'There is no such series of readings.',
      cause: `${dataSource}.${column} is not a numeric column of a data source.`,
      remediation: `Use one of ${known}.`,
    }),
  ),
  nothing_to_derive: define<{ input: string }>(409, ({ input }) => ({
    error: 'There are no readings to compute growth rates from.',
    cause: `None of the requested units has readings of ${input} in this experiment.`,
    remediation: 'Name other units or another input; the default is od of all units.',
  })),
  derivation_unknown: define<{ derivation: string }>(404, ({ derivation }) => ({
    error: 'These growth rates do not exist.',
    cause: `No growth rates of this experiment have the number ${derivation}.`,
    remediation: 'List the derivations of the experiment and choose one of their numbers.',
  })),
  derivation_measured: define<{ derivation: string }>(409, ({ derivation }) => ({
    error: 'Growth rates that units computed while measuring cannot be deleted.',
    cause: `${derivation} is what the units recorded.`,
    remediation: 'Delete only recomputed growth rates. Deleting the experiment deletes all of them.',
  })),
  derivation_active: define<{ derivation: string }>(409, ({ derivation }) => ({
    error: 'These growth rates are in use.',
    cause: `${derivation} is the active series of charts and exports.`,
    remediation: 'Activate other growth rates first.',
  })),
  growth_summary_not_ready: define<{ units: number; most: number }>(409, ({ units, most }) => ({
    error: 'The growth curves are not computed yet.',
    cause: `${units} units have no current results; a request computes ${most} at most.`,
    remediation: 'POST the same request to growth_summary, wait for its task, then repeat this request.',
  })),
  growth_curves_failed: define<{ cause: string }>(500, ({ cause }) => ({
    error: 'The growth curves could not be computed.',
    cause,
    remediation: 'Try again. If it fails again, see the log of the leader.',
  })),
} as const;
