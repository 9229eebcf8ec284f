import type { NotePhoto } from '@lcs/contract';
import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { timelineWords } from '../words/timeline.ts';
import { photoUrl } from './photo-file.ts';
import styles from './timeline.module.css';

interface NotePhotoButtonProps {
  readonly experiment: string;
  readonly noteId: number;
  readonly photo: NotePhoto;
  /** What the note is about. */
  readonly title: string;
}

/** The photo of a note as a small picture that opens the large one. */
export function NotePhotoButton({ experiment, noteId, photo, title }: NotePhotoButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const address = photoUrl(experiment, noteId, photo);
  return (
    <>
      <button type="button" className={styles.photoButton} onClick={() => setOpen(true)}>
        <img
          className={styles.thumbnail}
          src={address}
          alt={timelineWords.showPhoto(title)}
          loading="lazy"
          decoding="async"
        />
      </button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setOpen(false)} size="lg">
        <a href={address} target="_blank" rel="noreferrer">
          <img className={styles.photo} src={address} alt={timelineWords.photoOpens(title)} />
        </a>
      </Dialog>
    </>
  );
}
