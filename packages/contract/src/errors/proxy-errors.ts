import { define } from './error-definition.ts';

/** Errors of requests that the leader forwards to one unit. */
export const proxyErrors = {
  one_unit_only: define(400, () => ({
    error: 'This route addresses one unit.',
    cause: '$broadcast means all units.',
    remediation: 'Name one unit.',
  })),
  unit_gave_no_answer: define<{ unit: string; cause: string }>(502, ({ unit, cause }) => ({
    error: `The leader received no valid answer from ${unit}.`,
    cause,
    remediation: 'Check that the unit is on and connected to the network, then try again.',
  })),
} as const;
