import { define } from './error-definition.ts';

/** What may be wrong about values of a vial. */
export const bioreactorErrors = {
  bioreactor_values_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The values of the vial cannot be set.',
    cause,
    remediation: 'Correct the values and send all of them again: none was changed.',
  })),
  dose_overflows: define<{ volumeMl: number; currentMl: number; limitMl: number }>(
    400,
    ({ volumeMl, currentMl, limitMl }) => ({
      error: 'This dose would make the vial too full.',
      cause: `${volumeMl} mL on top of ${Number(currentMl.toFixed(3))} mL reach the highest safe filling of ${limitMl} mL.`,
      remediation: 'Add less, or remove waste first. If the recorded volume is wrong, correct it.',
    }),
  ),
} as const;
