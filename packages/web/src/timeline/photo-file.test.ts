import { afterEach, describe, expect, it, vi } from 'vitest';
import { largeBytes, photoUrl, scaledSize, sentPhoto } from './photo-file.ts';

/** A browser whose canvas notes what is drawn, or has none to draw on. */
function browserThatDraws(canDraw: boolean): readonly string[] {
  const drawn: string[] = [];
  const pen = {
    fillStyle: 'black',
    fillRect: () => drawn.push(pen.fillStyle),
    drawImage: () => drawn.push('picture'),
  };
  vi.stubGlobal('createImageBitmap', async () => ({ width: 4032, height: 3024, close: () => {} }));
  const canvas = {
    getContext: () => (canDraw ? pen : null),
    toBlob: (done: (blob: Blob) => void) => done(new Blob(['jpeg'])),
  };
  vi.stubGlobal('document', { createElement: () => canvas });
  return drawn;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a photo', () => {
  const large = new File([new Uint8Array(largeBytes + 1)], 'plate.png');

  it('that is large is drawn on white and sent smaller', async () => {
    const drawn = browserThatDraws(true);
    expect(await sentPhoto(large)).toMatchObject({ content: { size: 4 }, fileName: 'photo', isSmaller: true });
    expect(drawn).toEqual(['white', 'picture']);
  });

  it('that the browser cannot draw is sent as it is', async () => {
    browserThatDraws(false);
    expect(await sentPhoto(large)).toEqual({ content: large, fileName: 'photo', isSmaller: false });
  });

  it('is scaled to its longer side, and never enlarged', () => {
    expect(scaledSize(4032, 3024)).toEqual({ width: 2560, height: 1920 });
    expect(scaledSize(3024, 4032)).toEqual({ width: 1920, height: 2560 });
    expect(scaledSize(800, 600)).toEqual({ width: 800, height: 600 });
  });

  it('that is small is sent as it is', async () => {
    const file = new File([new Uint8Array(largeBytes)], 'plate.png');
    expect(await sentPhoto(file)).toEqual({ content: file, fileName: 'photo', isSmaller: false });
  });

  it('has an address for each version', () => {
    expect(photoUrl('a/b', 3, { version: '0f' })).toBe('/api/experiments/a%2Fb/notes/3/photo?version=0f');
  });
});
