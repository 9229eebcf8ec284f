import type { Clock } from '@lcs/platform';
import type { Enrolment } from './enrolment.ts';
import type { LeaderLink } from './leader-link.ts';

export interface JoiningUnit {
  readonly enrolment: Pick<Enrolment, 'state' | 'changed'>;
  readonly link: Pick<LeaderLink, 'current' | 'onChange'>;
  readonly wire: Clock;
}

/** A leader whose welcome is on its way is not told that the unit has none: that long the unit takes to keep it. */
const keptWithinMs = 2_000;

/** Waits for the end of a joining under way, when a leader asks that is not the unit's own (yet). */
export async function untilJoined({ enrolment, link, wire }: JoiningUnit, leaderId: string): Promise<void> {
  if (link.current?.leader_id === leaderId || enrolment.state.kind !== 'asking') return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const ends = [link.onChange(resolve), wire.after(keptWithinMs, resolve)];
  await promise;
  for (const end of ends) end();
}
