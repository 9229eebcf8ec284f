import { PinChange, PinEntry, Session, TabletCreation } from '../resources/access.ts';
import { routes } from '../route.ts';
import { acknowledged, ok } from './answers.ts';
import { ofSession } from './shared-access.ts';

const pinPath = '/api/session/pin';
const actingPath = '/api/session/acting';

/** Shared tablets, and the PINs with which people act at them. */
export const tabletRoutes = routes({
  startTablet: {
    ...ofSession,
    method: 'POST',
    path: '/api/session/tablet',
    summary: 'Make this device a shared tablet',
    description:
      'Ends the session of the administrator at this device and starts one of the tablet: it reads; for an action a person enters their PIN. It ends after 30 days without use, or 366 days.',
    permission: 'people.write',
    body: TabletCreation,
    responses: ok(Session),
    errors: ['person_needed'],
  },
  setPin: {
    ...ofSession,
    method: 'PUT',
    path: pinPath,
    summary: 'Set the own PIN for shared tablets',
    body: PinChange,
    responses: acknowledged,
    errors: ['person_needed', 'sign_in_failed', 'sign_in_delayed', 'pin_unsuitable'],
  },
  deletePin: {
    ...ofSession,
    method: 'DELETE',
    path: pinPath,
    summary: 'Delete the own PIN',
    responses: acknowledged,
    errors: ['person_needed'],
  },
  enterPin: {
    ...ofSession,
    method: 'POST',
    path: actingPath,
    summary: 'Act at a shared tablet as a person, for a minute',
    description:
      'The answer has another CSRF token: requests with it are those of the person. They have the permissions of an operator at most.',
    body: PinEntry,
    responses: ok(Session),
    errors: ['tablet_needed', 'pin_wrong', 'sign_in_delayed'],
  },
  endActing: {
    ...ofSession,
    method: 'DELETE',
    path: actingPath,
    summary: 'Stop acting as a person at a shared tablet',
    responses: acknowledged,
    errors: ['tablet_needed'],
  },
});
