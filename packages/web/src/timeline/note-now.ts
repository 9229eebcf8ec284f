import type { ExperimentNote } from '@lcs/contract';
import type { LeaderClient } from '../api/clients.ts';

const pageLength = 1000;

/** A note as the leader has it at present; undefined: it was removed. */
export async function noteNow(
  leader: Pick<LeaderClient, 'listNotes'>,
  experiment: string,
  noteId: number,
): Promise<ExperimentNote | undefined> {
  for (let skip = 0; ; skip += pageLength) {
    const page = await leader.listNotes({ params: { experiment }, query: { skip, limit: pageLength } });
    const found = page.find(({ note_id }) => note_id === noteId);
    if (found !== undefined || page.length < pageLength) return found;
  }
}
