import type { Clock } from '@lcs/platform';
import type { Enrolment } from './enrolment.ts';
import type { LeaderLink } from './leader-link.ts';

export interface EnrollingUnit {
  readonly enrolment: Pick<Enrolment, 'state' | 'changed'>;
  readonly link: Pick<LeaderLink, 'current' | 'onChange'>;
  readonly wire: Clock;
}

/** How long the unit may take to store an enrolment, in which requests of that leader wait. */
const keptWithinMs = 2_000;

/** Waits for a running enrolment when a request comes from a leader that is not (yet) the unit's own. */
export async function untilEnrolled({ enrolment, link, wire }: EnrollingUnit, leaderId: string): Promise<void> {
  if (link.current?.leader_id === leaderId || enrolment.state.kind !== 'asking') return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const ends = [link.onChange(resolve), wire.after(keptWithinMs, resolve)];
  await promise;
  for (const end of ends) end();
}
