import type { LeaderContext } from '../core/leader-context.ts';

const limitMs = 5_000;

/** Requests that a unit enrols now. A unit that does not answer enrols later by itself. */
export const enrolmentRequests =
  ({ fleet, log }: Pick<LeaderContext, 'fleet' | 'log'>) =>
  (unit: string): void => {
    fleet
      .passOn(unit, { method: 'POST', path: '/unit_api/enrol', limitMs })
      .catch((error: unknown) => log.info('A unit could not be requested to enrol', { unit, error: String(error) }));
  };
