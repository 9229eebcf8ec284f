import { define } from './error-definition.ts';

/** Errors of requests for descriptors. */
export const descriptorErrors = {
  automation_type_unknown: define<{ type: string }>(400, ({ type }) => ({
    error: `There is no type of automation '${type}'.`,
    cause: 'Automations are of the types dosing, led and temperature.',
    remediation: 'Request one of these three.',
  })),
} as const;
