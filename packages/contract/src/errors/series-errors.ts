import { define } from './error-definition.ts';

/** What may go wrong with time series. */
export const seriesErrors = {
  data_source_unknown: define<{ dataSource: string; column: string; known: string }>(
    400,
    ({ dataSource, column, known }) => ({
      error: 'There is no such series of readings.',
      cause: `${dataSource}.${column} is no numeric column of a data source.`,
      remediation: `Use one of ${known}.`,
    }),
  ),
  nothing_to_derive: define<{ input: string }>(409, ({ input }) => ({
    error: 'There is nothing to compute growth rates from.',
    cause: `No unit that was asked for has readings of ${input} in this experiment.`,
    remediation: 'Name other units or another input, or none: then it is od of all units.',
  })),
  derivation_unknown: define<{ derivation: string }>(404, ({ derivation }) => ({
    error: 'There are no such growth rates.',
    cause: `No growth rates of this experiment have the number ${derivation}.`,
    remediation: 'List the derivations of the experiment and take one of their numbers.',
  })),
  derivation_measured: define<{ derivation: string }>(409, ({ derivation }) => ({
    error: 'Growth rates that units computed while they measured are kept.',
    cause: `${derivation} is what the units recorded.`,
    remediation: 'Delete only growth rates that were computed again. All goes with the experiment.',
  })),
  derivation_active: define<{ derivation: string }>(409, ({ derivation }) => ({
    error: 'These growth rates are in use.',
    cause: `${derivation} is what charts and exports answer with.`,
    remediation: 'Activate other growth rates first.',
  })),
} as const;
