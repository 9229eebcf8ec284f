import type { blinkRoutes, Handlers } from '@lcs/contract';
import type { StatusLight } from './status-light.ts';

/** Lets a unit be found on the bench. */
export const statusLightHandlers = (light: StatusLight): Handlers<typeof blinkRoutes> => ({
  blink: () => {
    light.blink();
    return { status: 202, body: { status: 'accepted' } };
  },
});

/** Where outside clients ask for the same. */
export const blinkTopics = (unit: string): readonly string[] =>
  [unit, '$broadcast'].map((who) => `reactor/${who}/+/monitor/flicker_led_response_okay`);

/** A retained message is old: somebody wanted it once. */
export const isBlinkWish = (payload: string, isRetained: boolean): boolean =>
  !isRetained && ['1', 'true'].includes(payload.trim().toLowerCase());
