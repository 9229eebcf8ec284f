import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { notePhotoLimitBytes } from '@lcs/contract';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { refusesBackups } from './refuses-backups.ts';

const experiment = 'ramp';
const in07 = { params: { experiment } };
const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const jpeg = bytes('\xff\xd8\xff\xe0 a vial with foam');
const png = bytes('\x89PNG\r\n\x1a\n a plate');

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment } });
  await leader.client.createNote({ ...in07, body: { text: 'foam' } });
});
afterEach(() => leader[Symbol.asyncDispose]());

const noted = (note_id = '1', name = experiment) => ({ params: { experiment: name, note_id } });
const put = (content: Uint8Array<ArrayBuffer>, where = noted(), fileName = 'IMG_0001.jpg') =>
  leader.api.call('putNotePhoto', { ...where, file: { content, fileName } });
const get = (where = noted(), headers = {}) => leader.api.call('getNotePhoto', { ...where, headers });
const remove = (where = noted()) => leader.api.call('deleteNotePhoto', where);
const folder = () => join(leader.dataFolder, 'storage', 'note_photos');
const files = () => readdir(folder());

describe('the photo of a note', () => {
  it('is stored, shown with the note and in the timeline, and returned as it was sent', async () => {
    const [before] = await leader.client.listNotes({ ...in07, query: {} });
    expect(before?.photo).toBeNull();
    const photo = { content_type: 'image/jpeg', bytes: jpeg.length, version: expect.stringMatching(/^[0-9a-f]{16}$/) };
    expect((await put(jpeg)).expect(200)).toEqual({ ...before, photo });
    expect(await leader.client.listNotes({ ...in07, query: {} })).toMatchObject([{ photo }]);
    const [entry] = await leader.client.getTimeline({ ...in07, query: { kinds: 'note' } });
    expect(entry?.note).toMatchObject({ note_id: 1, photo });
    const answer = await get();
    answer.expect(200);
    expect(answer.bytes).toEqual(jpeg);
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    expect(answer.headers.get('content-length')).toBe(String(jpeg.length));
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const etag = answer.headers.get('etag') ?? '';
    expect((await get(noted(), { 'if-none-match': etag })).status).toBe(304);
    // A correction of the note keeps it.
    const corrected = (await leader.api.call('updateNote', { ...noted(), body: { text: 'more foam' } })).expect(200);
    expect(corrected).toMatchObject({ text: 'more foam', photo });
    const logged = await leader.client.listExperimentLogs({ ...in07, query: {} });
    expect(logged.map(({ task }) => task).slice(0, 3)).toEqual(['note', 'note', 'note']);
  });

  it('is linked, not copied, by a backup on the same disk', async () => {
    (await put(jpeg)).expect(200);
    if (await refusesBackups(leader)) return;
    await leader.finished(await leader.client.createBackup({}));
    const [name = ''] = await files();
    expect((await stat(join(folder(), name))).nlink).toBe(2);
  });

  it('is replaced by one of another type, and removed', async () => {
    (await put(jpeg)).expect(200);
    // The bytes count, not the name.
    expect((await put(png)).expect(200)).toMatchObject({ photo: { content_type: 'image/png' } });
    const answer = await get();
    answer.expect(200);
    expect([answer.headers.get('content-type'), answer.bytes]).toEqual(['image/png', png]);
    await expect.poll(files).toEqual([expect.stringMatching(/\.png$/)]);
    expect((await remove()).expect(200)).toMatchObject({ note_id: 1, photo: null });
    await expect.poll(files).toEqual([]);
    (await get()).expect(404, 'note_photo_not_found');
    (await remove()).expect(404, 'note_photo_not_found');
  });

  it('is removed with its note, and with its experiment', async () => {
    await leader.client.createNote({ ...in07, body: { text: 'plate' } });
    for (const number of ['1', '2']) (await put(jpeg, noted(number))).expect(200);
    await leader.client.deleteNote(noted('1'));
    await expect.poll(files).toHaveLength(1);
    expect(leader.storedRows('note_photos')).toMatchObject([{ note_id: 2 }]);
    const accepted = await leader.client.deleteExperiment(in07);
    (await get(noted('2'))).expect(404, 'experiment_not_found');
    await leader.finished(accepted);
    await expect.poll(files).toEqual([]);
    expect(leader.storedRows('note_photos')).toEqual([]);
  });

  it('is refused when it is none, too large, or without a note; nothing is left then', async () => {
    (await put(jpeg)).expect(200);
    for (const content of ['<svg xmlns="http://www.w3.org/2000/svg"/>', '<html>', 'GIF89a', '']) {
      (await put(bytes(content))).expect(400, 'note_photo_invalid');
    }
    // Sent before the body has come: whether the leader counts it as answered depends on who closes the connection first.
    expect(await put(new Uint8Array(notePhotoLimitBytes))).toMatchObject({
      status: 413,
      json: { code: 'body_too_large' },
    });
    (await leader.api.call('putNotePhoto', { ...noted(), body: {} })).expect(400, 'upload_invalid');
    for (const call of [put.bind(null, jpeg), get, remove]) {
      (await call(noted('2'))).expect(404, 'note_not_found');
      (await call(noted('1', 'nowhere'))).expect(404, 'experiment_not_found');
    }
    expect(await files()).toHaveLength(1);
    expect(await readdir(join(leader.dataFolder, 'run', 'uploads'))).toEqual([]);
    expect((await get()).bytes).toEqual(jpeg);
  });

  it('is refused when all photos together have taken their space', async () => {
    await leader.client.createNote({ ...in07, body: { text: 'plate' } });
    (await put(jpeg)).expect(200);
    await leader.editStore((database) => database.exec(`update note_photos set bytes = ${2 * 1024 ** 3}`));
    (await put(jpeg, noted('2'))).expect(409, 'note_photos_full');
    // Its own is replaced.
    (await put(png)).expect(200);
    (await put(jpeg, noted('2'))).expect(200);
    await expect.poll(files).toHaveLength(2);
  });

  it('that a crash has left without its note is removed at the next start', async () => {
    await using kept = await temporaryFolder('photos');
    const options = { observe, dataFolder: kept.path };
    const place = join(kept.path, 'storage', 'note_photos');
    await using first = await startLeader(options);
    await first.client.createExperiment({ body: { experiment } });
    await first.client.createNote({ ...in07, body: { text: 'foam' } });
    (await first.api.call('putNotePhoto', { ...noted(), file: { content: jpeg, fileName: 'a.jpg' } })).expect(200);
    const [stored = ''] = await readdir(place);
    await first[Symbol.asyncDispose]();
    await writeFile(join(place, '0f8fad5b-d9cb-469f-a165-70867728950e.jpg'), jpeg);
    await writeFile(join(place, 'mine.jpg'), jpeg);
    await using second = await startLeader(options);
    expect((await readdir(place)).sort()).toEqual([stored, 'mine.jpg'].sort());
    (await second.api.call('getNotePhoto', noted())).expect(200);
  });
});
