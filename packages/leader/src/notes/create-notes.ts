import { type Caller, type Handlers, hasAccount, type noteRoutes } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { Notes } from './notes.ts';
import { StoredVolumeNotes, type VolumeNotes } from './volume-notes.ts';

/** The notes of experiments, and their volumes. */
export interface NotesFeature {
  readonly handlers: Handlers<typeof noteRoutes>;
  readonly volumes: VolumeNotes;
}

/** A note is by the account that wrote it last; while nobody has an account, by the author that the request names. */
const signed = <Body extends { readonly author?: string | null }>(body: Body, caller: Caller): Body =>
  hasAccount(caller) && Object.keys(body).length > 0 ? { ...body, author: caller.name } : body;

/** Creates the feature. */
export function createNotes(context: LeaderContext): NotesFeature {
  const volumes = new StoredVolumeNotes(() => context.database.read);
  const notes = new Notes(context, volumes);
  return {
    volumes,
    handlers: {
      listNotes: async ({ params, query }) => ({ status: 200, body: await notes.list(params.experiment, query) }),
      createNote: async ({ params, body, caller }) => ({
        status: 201,
        body: await notes.create(params.experiment, signed(body, caller)),
      }),
      updateNote: async ({ params, body, caller }) => ({
        status: 200,
        body: await notes.update(params.experiment, params.note_id, signed(body, caller)),
      }),
      deleteNote: async ({ params }) => {
        await notes.remove(params.experiment, params.note_id);
        return { status: 200, body: { status: 'success' } };
      },
    },
  };
}
