import type { Cancel, Log, Service } from '@lcs/platform';
import type { DesiredStateManager } from '../desired/desired-state-manager.ts';
import type { UnitAssignment } from '../desired/unit-assignment.ts';
import type { BioreactorState } from './bioreactor-state.ts';

export interface FollowedNotesOptions {
  readonly desiredState: Pick<DesiredStateManager, 'onChange'>;
  readonly assignment: Pick<UnitAssignment, 'volumeNotes'>;
  readonly ledger: Pick<BioreactorState, 'applyNotes'>;
  readonly log: Log;
}

/** Brings the notes of volumes that stand in the leader's document to the ledger, at each change. */
export function followedNotes({ desiredState, assignment, ledger, log }: FollowedNotesOptions): Service {
  let cancel: Cancel = () => {};
  const take = (): void => {
    ledger
      .applyNotes(assignment.volumeNotes)
      .catch((error: unknown) => log.error('Notes of volumes could not be written down yet', { error }));
  };
  return {
    name: 'notes of volumes',
    start: async () => {
      cancel = desiredState.onChange(take);
      take();
    },
    stop: async () => cancel(),
  };
}
