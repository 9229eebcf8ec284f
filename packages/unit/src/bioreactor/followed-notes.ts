import type { Cancel, Living, Log } from '@lcs/platform';
import type { DesiredKeeper } from '../desired/desired-keeper.ts';
import type { BioreactorState } from './bioreactor-state.ts';

/** Brings the notes of volumes that stand in the leader's document to the ledger, at each change. */
export function followedNotes(
  keeper: Pick<DesiredKeeper, 'volumeNotes' | 'onChange'>,
  ledger: Pick<BioreactorState, 'takeNotes'>,
  log: Log,
): Living {
  let cancel: Cancel = () => {};
  const take = (): void => {
    ledger
      .takeNotes(keeper.volumeNotes())
      .catch((error: unknown) => log.error('Notes of volumes could not be written down yet', { error }));
  };
  return {
    name: 'notes of volumes',
    start: async () => {
      cancel = keeper.onChange(take);
      take();
    },
    stop: async () => cancel(),
  };
}
