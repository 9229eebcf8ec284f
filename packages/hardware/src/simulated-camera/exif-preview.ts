/** A TIFF structure with two directories, of which the second describes a small JPEG behind it (Exif 2.3). */
export function exifWith(preview: Uint8Array): Uint8Array {
  const header = [0x45, 0x78, 0x69, 0x66, 0, 0];
  const [firstAt, secondAt] = [8, 14];
  const entries = [
    [0x0103, 3, 6],
    [0x0201, 4, secondAt + 2 + 3 * 12 + 4],
    [0x0202, 4, preview.length],
  ] as const;
  const previewAt = entries[1][2];
  const tiff = new DataView(new ArrayBuffer(previewAt));
  tiff.setUint16(0, 0x4d4d);
  tiff.setUint16(2, 42);
  tiff.setUint32(4, firstAt);
  tiff.setUint32(firstAt + 2, secondAt);
  tiff.setUint16(secondAt, entries.length);
  for (const [index, [tag, type, value]] of entries.entries()) {
    const at = secondAt + 2 + 12 * index;
    tiff.setUint16(at, tag);
    tiff.setUint16(at + 2, type);
    tiff.setUint32(at + 4, 1);
    // A short value stands at the left.
    if (type === 3) tiff.setUint16(at + 8, value);
    else tiff.setUint32(at + 8, value);
  }
  return new Uint8Array([...header, ...new Uint8Array(tiff.buffer), ...preview]);
}
