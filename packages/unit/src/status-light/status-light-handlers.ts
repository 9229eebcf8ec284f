import type { blinkRoutes, Handlers } from '@lcs/contract';
import { type FaultCode, faultCodes } from '../jobs/shared/fault-codes.ts';
import type { StatusLight } from './status-light.ts';

/** Identifies a unit on the bench. */
export const statusLightHandlers = (light: StatusLight): Handlers<typeof blinkRoutes> => ({
  blink: () => {
    light.blink();
    return { status: 202, body: { status: 'accepted' } };
  },
});

/** The path of outside clients for the same. */
export const blinkTopics = (unit: string): readonly string[] =>
  [unit, '$broadcast'].map((who) => `reactor/${who}/+/monitor/flicker_led_response_okay`);

/** The path of outside programs for the flashes of a code, as on similar units. */
export const codeTopics = (unit: string): readonly string[] => [
  `reactor/${unit}/+/monitor/flicker_led_with_error_code`,
];

/** The code of a message: a whole number from 1 to 8, as JSON. Undefined: it has none, or is old. */
export function errorCodeOf(payload: string, isRetained: boolean): FaultCode | undefined {
  if (isRetained) return undefined;
  return Object.values(faultCodes).find((code) => String(code) === payload.trim());
}

/** A retained message is old. */
export const isBlinkRequest = (payload: string, isRetained: boolean): boolean =>
  !isRetained && ['1', 'true'].includes(payload.trim().toLowerCase());
