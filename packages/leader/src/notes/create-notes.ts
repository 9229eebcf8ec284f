import {
  type Caller,
  type Handlers,
  hasAccount,
  type NoteChange,
  type NoteCreation,
  type noteRoutes,
} from '@lcs/contract';
import type { Service } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { OnMarked } from '../experiments/experiment-deletion.ts';
import { NotePhotos, type NotePhotosOptions } from './note-photos.ts';
import { Notes } from './notes.ts';
import { PhotoFiles } from './photo-files.ts';
import type { SampleModels } from './sample-limit.ts';
import { StoredVolumeNotes, type VolumeNotes } from './volume-notes.ts';

export interface NotesOptions extends Pick<NotePhotosOptions, 'uploads' | 'diskSpace'> {
  readonly context: LeaderContext;
  readonly models: SampleModels;
}

/** The notes of experiments, their volumes and their photos. */
export interface NotesFeature {
  readonly handlers: Handlers<typeof noteRoutes>;
  readonly volumes: VolumeNotes;
  /** For the deletion of experiments. */
  readonly onDeleted: OnMarked;
  readonly parts: readonly Service[];
}

/** A note is by the account that wrote it; while nobody has an account, by the author that the request names. */
const signed = (body: NoteCreation, caller: Caller): NoteCreation =>
  hasAccount(caller) && Object.keys(body).length > 0 ? { ...body, author: caller.name } : body;

/** A correction leaves the author of the note; while nobody has an account, the author can be corrected too. */
function correction({ author, ...change }: NoteChange, caller: Caller): { change: NoteChange; editor: string | null } {
  if (hasAccount(caller)) return { change, editor: caller.name };
  return { change: author === undefined ? change : { ...change, author }, editor: null };
}

/** Creates the feature. */
export function createNotes(options: NotesOptions): NotesFeature {
  const { context } = options;
  const volumes = new StoredVolumeNotes(() => context.database.read);
  const files = new PhotoFiles(context);
  const notes = new Notes(context, volumes, files, options.models);
  const photos = new NotePhotos({ ...options, files });
  return {
    volumes,
    onDeleted: photos.onDeleted,
    parts: [files],
    handlers: {
      listNotes: async ({ params, query }) => ({ status: 200, body: await notes.list(params.experiment, query) }),
      createNote: async ({ params, body, caller }) => ({
        status: 201,
        body: await notes.create(params.experiment, signed(body, caller)),
      }),
      updateNote: async ({ params, body, caller }) => {
        const { change, editor } = correction(body, caller);
        return { status: 200, body: await notes.update(params.experiment, params.note_id, change, editor) };
      },
      deleteNote: async ({ params }) => {
        await notes.remove(params.experiment, params.note_id);
        return { status: 200, body: { status: 'success' } };
      },
      getNotePhoto: async ({ params }) => ({ status: 200, ...(await photos.get(params.experiment, params.note_id)) }),
      putNotePhoto: async ({ params, upload }) => ({
        status: 200,
        body: await photos.put(params.experiment, params.note_id, upload),
      }),
      deleteNotePhoto: async ({ params }) => ({
        status: 200,
        body: await photos.remove(params.experiment, params.note_id),
      }),
    },
  };
}
