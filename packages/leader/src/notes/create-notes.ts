import type { Handlers, noteRoutes } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { Notes } from './notes.ts';
import { StoredVolumeNotes, type VolumeNotes } from './volume-notes.ts';

/** The notes of experiments, and their volumes. */
export interface NotesFeature {
  readonly handlers: Handlers<typeof noteRoutes>;
  readonly volumes: VolumeNotes;
}

/** Creates the feature. */
export function createNotes(context: LeaderContext): NotesFeature {
  const volumes = new StoredVolumeNotes(() => context.database.read);
  const notes = new Notes(context, volumes);
  return {
    volumes,
    handlers: {
      listNotes: async ({ params, query }) => ({ status: 200, body: await notes.list(params.experiment, query) }),
      createNote: async ({ params, body }) => ({ status: 201, body: await notes.create(params.experiment, body) }),
      updateNote: async ({ params, body }) => ({
        status: 200,
        body: await notes.update(params.experiment, params.note_id, body),
      }),
      deleteNote: async ({ params }) => {
        await notes.remove(params.experiment, params.note_id);
        return { status: 200, body: { status: 'success' } };
      },
    },
  };
}
