import { define } from './error-definition.ts';

/** What may be wrong about values of a vial. */
export const bioreactorErrors = {
  bioreactor_values_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The values of the vial cannot be set.',
    cause,
    remediation: 'Correct the values and send all of them again: none was changed.',
  })),
} as const;
