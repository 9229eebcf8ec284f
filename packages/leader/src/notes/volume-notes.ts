import type { Cancel } from '@lcs/platform';
import { experimentKey, type LeaderReader } from '../queries/experiments.ts';

/** Liquid that a person took from a vial or added to it. */
export interface VolumeNote {
  readonly noteId: number;
  readonly kind: 'sample_taken' | 'media_added';
  /** Above 0. */
  readonly volumeMl: number;
  /** The time, in milliseconds since 1970. */
  readonly atMs: number;
}

/** The unit whose notes have changed. */
export interface VolumeNoteChange {
  readonly experiment: string;
  readonly unit: string;
}

/** The volumes that people noted for vials. Notes may be corrected and removed: read them all again after a change. */
export interface VolumeNotes {
  /** In the order of time; none for an experiment that does not exist. */
  of(experiment: string, unit: string): Promise<readonly VolumeNote[]>;
  /** Calls `listener` after each stored change that may concern the volume of a unit. */
  onChange(listener: (change: VolumeNoteChange) => void): Cancel;
}

/** Publishes changes. */
export interface VolumeNoteChanges {
  changed(change: VolumeNoteChange): void;
}

/** The volume notes of a unit in an experiment, oldest first. */
export const volumeNotesOf = (database: LeaderReader, experimentId: number, unit: string) =>
  database
    .selectFrom('experiment_notes')
    .where('experiment_id', '=', experimentId)
    .where('reactor_unit', '=', unit)
    .where('volume_ml', 'is not', null)
    .orderBy('at')
    .orderBy('id')
    .select(['id', 'kind', 'volume_ml', 'at']);

/** Reads them from the store of the leader. */
export class StoredVolumeNotes implements VolumeNotes, VolumeNoteChanges {
  readonly #read: () => LeaderReader;
  readonly #listeners = new Set<(change: VolumeNoteChange) => void>();

  constructor(read: () => LeaderReader) {
    this.#read = read;
  }

  async of(experiment: string, unit: string): Promise<readonly VolumeNote[]> {
    const read = this.#read();
    const key = await experimentKey(read, experiment).executeTakeFirst();
    if (!key) return [];
    const rows = await volumeNotesOf(read, key.id, unit).execute();
    return rows.map(({ id, kind, volume_ml, at }) => ({
      noteId: id,
      kind: kind === 'media_added' ? 'media_added' : 'sample_taken',
      volumeMl: volume_ml ?? 0,
      atMs: at,
    }));
  }

  onChange(listener: (change: VolumeNoteChange) => void): Cancel {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  changed(change: VolumeNoteChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
