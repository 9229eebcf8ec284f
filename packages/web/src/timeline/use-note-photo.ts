import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { sendPhoto } from './send-photo.ts';
import { useTimelineChanged } from './use-timeline.ts';

/** Adds, replaces and removes the photo of a note. */
export function useNotePhoto(experiment: string, noteId: number) {
  const { leader, toasts } = useServices();
  const changed = useTimelineChanged(experiment);
  const params = { experiment, note_id: String(noteId) };
  const put = useMutation({
    mutationFn: (file: File) => sendPhoto({ leader, toasts }, params, file),
    onSuccess: changed,
  });
  const remove = useMutation({ mutationFn: () => leader.deleteNotePhoto({ params }), onSuccess: changed });
  return { put, remove };
}
