import { define } from './error-definition.ts';

/** What may go wrong when the leader passes a request on to one unit and its answer back. */
export const proxyErrors = {
  one_unit_only: define(400, () => ({
    error: 'This route speaks to one unit.',
    cause: '$broadcast stands for all of them.',
    remediation: 'Name one unit.',
  })),
  unit_gave_no_answer: define<{ unit: string; cause: string }>(502, ({ unit, cause }) => ({
    error: `${unit} gave no answer that can be passed on.`,
    cause,
    remediation: 'Check that the unit is on and in the network, then try again.',
  })),
} as const;
