import type { MachineFacts, OwnService } from './machine-facts.ts';
import { optionValue } from './service-options.ts';

/** Default of `lcs leader` and `lcs unit`. */
export const usualPort = 4999;
/** Of a unit beside a leader on one machine. */
export const portBesideLeader = 5000;

/** The port that the options of a service name. */
export function portOf(facts: Pick<MachineFacts, 'leaderOptions' | 'unitOptions'>, service: OwnService): number {
  const words = (service === 'lcs-leader' ? facts.leaderOptions : facts.unitOptions)?.words ?? [];
  return Number(optionValue(words, '--port') ?? usualPort);
}
