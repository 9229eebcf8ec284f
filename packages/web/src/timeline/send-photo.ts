import { notifications } from '@mantine/notifications';
import type { Services } from '../services/services.tsx';
import { sentPhoto, smallerText } from './photo-file.ts';

/** Sends the photo of a note, and says when it was made smaller. */
export async function sendPhoto(
  { leader, toasts }: Pick<Services, 'leader' | 'toasts'>,
  params: { readonly experiment: string; readonly note_id: string },
  photo: File,
): Promise<void> {
  const { isSmaller, ...file } = await sentPhoto(photo);
  await leader.putNotePhoto({ params, file });
  if (!isSmaller) return;
  toasts.want();
  notifications.show({ message: smallerText });
}
