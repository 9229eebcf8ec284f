import { jobGroups } from './check-profile.ts';
import type { Profile, ProfileAction } from './profile.ts';

/** A part of a profile that the leader cannot execute yet. */
export interface UnsupportedPart {
  readonly path: string;
  /** For the middle of a sentence. */
  readonly feature: string;
}

function unsupportedIn(action: ProfileAction, path: string, job: string): readonly UnsupportedPart[] {
  if (action.type === 'repeat' || action.type === 'when')
    return action.actions.flatMap((nested, index) => unsupportedIn(nested, `${path}.actions[${index}]`, job));
  return action.type === 'resume' && job === 'led_intensity' ? [{ path, feature: "'resume' of led_intensity" }] : [];
}

/** The parts of a profile that the leader cannot execute; it executes profiles without such parts. */
export function unsupportedParts(profile: Profile): readonly UnsupportedPart[] {
  return jobGroups(profile).flatMap(([path, jobs]) =>
    Object.entries(jobs).flatMap(([job, { actions }]) =>
      actions.flatMap((action, index) => unsupportedIn(action, `${path}.${job}.actions[${index}]`, job)),
    ),
  );
}
