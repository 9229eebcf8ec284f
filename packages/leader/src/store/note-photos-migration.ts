/** A photo of a note; its file is below `storage/note_photos`. */
interface NotePhotosTable {
  note_id: number;
  file: string;
  content_type: string;
  bytes: number;
  sha256: string;
  /** Milliseconds since 1970. */
  added_at: number;
}

export interface NotePhotosTables {
  note_photos: NotePhotosTable;
}

/** Photos of notes and samples. */
export const notePhotosMigration = {
  set: 'experiment_life',
  id: 2,
  name: 'photos of notes',
  up: `
    create table note_photos (
      note_id integer primary key references experiment_notes (id) on delete cascade,
      file text not null unique,
      content_type text not null check (content_type in ('image/jpeg', 'image/png', 'image/webp')),
      bytes integer not null check (bytes > 0),
      sha256 text not null,
      added_at integer not null
    ) strict;
  `,
} as const;
