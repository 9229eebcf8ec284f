import type { FileToSend, NotePhoto } from '@lcs/contract';
import { timelineWords } from '../words/timeline.ts';

/** The formats that the leader stores. A phone converts its own format to one of these, because they are listed. */
export const photoTypes = 'image/jpeg,image/png,image/webp';

/** Where the leader serves the photo of a note; another version has another address. */
export const photoUrl = (experiment: string, noteId: number, { version }: Pick<NotePhoto, 'version'>): string =>
  `/api/experiments/${encodeURIComponent(experiment)}/notes/${noteId}/photo?version=${version}`;

/** Larger files are made smaller before they are sent: a timeline shows many of them. */
export const largeBytes = 2_000_000;
/** Pixels of the longer side: two screens. */
const mostPixels = 2_560;
const jpegQuality = 0.85;

/** The size of a picture whose longer side has at most so many pixels. */
export function scaledSize(width: number, height: number): { readonly width: number; readonly height: number } {
  const factor = Math.min(1, mostPixels / Math.max(width, height, 1));
  return { width: Math.round(width * factor), height: Math.round(height * factor) };
}

/** What a photo is called on its way, whatever its file is called: that name can say more than a person wants to tell. */
const fileName = 'photo';

/** A photo as it is sent. */
export interface SentPhoto extends FileToSend {
  readonly isSmaller: boolean;
}

/** The notice after a photo was made smaller. */
export const smallerText = timelineWords.photoMadeSmaller;

/** The picture as it is sent: a large one as a smaller JPEG. What the browser cannot read is left to the leader, which says why. */
export async function sentPhoto(file: File): Promise<SentPhoto> {
  const whole = { content: file, fileName, isSmaller: false };
  if (file.size <= largeBytes) return whole;
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined) return whole;
  const { width, height } = scaledSize(picture.width, picture.height);
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext('2d');
  if (pen === null) {
    picture.close();
    return whole;
  }
  // JPEG has no transparency: what is left empty would be black.
  pen.fillStyle = 'white';
  pen.fillRect(0, 0, width, height);
  pen.drawImage(picture, 0, 0, width, height);
  picture.close();
  const content = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/jpeg', jpegQuality);
  });
  return content === null ? whole : { content, fileName, isSmaller: true };
}
