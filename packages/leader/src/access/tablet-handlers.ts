import type { Handlers, tabletRoutes } from '@lcs/contract';
import type { AccessControl } from './access-control.ts';
import type { Pins } from './pins.ts';
import { expectPerson, originOf, sessionAnswer, success, toSession } from './session-answers.ts';

/** Shared tablets, and PINs. */
export function tabletHandlers(access: AccessControl, pins: Pins): Handlers<typeof tabletRoutes> {
  return {
    startTablet: async (request) => {
      expectPerson(request.caller);
      return sessionAnswer(
        access,
        request,
        await access.startTablet(request.caller, request.body.name, originOf(request)),
      );
    },
    setPin: async ({ caller, body: { password, pin }, remoteAddress = '' }) => {
      expectPerson(caller);
      await pins.set(caller, password, pin, remoteAddress);
      return success;
    },
    deletePin: async ({ caller }) => {
      expectPerson(caller);
      await pins.delete(caller);
      return success;
    },
    enterPin: async ({ caller, body: { name, pin } }) => {
      const signedIn = await pins.enter(caller, name.trim(), pin);
      return { status: 200, body: toSession(access, signedIn.caller, signedIn) };
    },
    endActing: ({ caller }) => {
      pins.leave(caller);
      return success;
    },
  };
}
