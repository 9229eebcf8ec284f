import { describe, expect, it } from 'vitest';
import { largeBytes, photoUrl, scaledSize, sentPhoto } from './photo-file.ts';

describe('a photo', () => {
  it('is scaled to its longer side, and never enlarged', () => {
    expect(scaledSize(4032, 3024)).toEqual({ width: 2560, height: 1920 });
    expect(scaledSize(3024, 4032)).toEqual({ width: 1920, height: 2560 });
    expect(scaledSize(800, 600)).toEqual({ width: 800, height: 600 });
  });

  it('that is small is sent as it is', async () => {
    const file = new File([new Uint8Array(largeBytes)], 'plate.png');
    expect(await sentPhoto(file)).toEqual({ content: file, fileName: 'plate.png' });
  });

  it('has an address for each version', () => {
    expect(photoUrl('a/b', 3, { version: '0f' })).toBe('/api/experiments/a%2Fb/notes/3/photo?version=0f');
  });
});
