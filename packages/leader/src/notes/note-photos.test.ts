import { ApiError, type IncomingUpload } from '@lcs/contract';
import { expect, it } from 'vitest';
import { startTestLeader } from '../testing/test-leader.ts';
import { NotePhotos } from './note-photos.ts';
import { PhotoFiles } from './photo-files.ts';

it('refuses a photo before it is sent while the disk is nearly full: readings have priority', async () => {
  await using leader = await startTestLeader();
  const { context } = leader;
  const uploads = { remove: async () => {} };
  const { id } = await context.database.write((transaction) =>
    transaction
      .insertInto('experiments')
      .values({ uid: 'u', name: 'ramp', created_at: 0, description: null })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  await context.database.write((transaction) =>
    transaction
      .insertInto('experiment_notes')
      .values({ experiment_id: id, at: 0, kind: 'note', text: 'foam', created_at: 0 })
      .execute(),
  );
  let received = 0;
  const upload: IncomingUpload = {
    receive: async () => {
      received += 1;
      throw new ApiError('upload_invalid', { cause: 'cut', field: 'photo' });
    },
  };
  const diskSpace: { level: 'enough' | 'low' | 'full' } = { level: 'low' };
  const photos = new NotePhotos({ context, uploads, diskSpace, files: new PhotoFiles(context) });
  await expect(photos.put('ramp', '1', upload)).rejects.toMatchObject({ code: 'storage_full' });
  expect(received).toBe(0);
  diskSpace.level = 'enough';
  await expect(photos.put('ramp', '1', upload)).rejects.toMatchObject({ code: 'upload_invalid' });
});
