import { isUtf8 } from 'node:buffer';

const replacement = '\ufffd';
const replacementBytes = Buffer.byteLength(replacement);

/** The offset of the first byte that is not UTF-8, or undefined when all are. */
export function utf8FaultOffset(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  // Decoding puts U+FFFD where bytes are wrong; one that was really sent reads as itself and is passed over.
  const text = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  for (;;) {
    const found = text.indexOf(replacement, from);
    if (found === -1) return offset;
    offset += Buffer.byteLength(text.slice(from, found));
    if (bytes.toString('latin1', offset, offset + replacementBytes) !== '\u00ef\u00bf\u00bd') return offset;
    offset += replacementBytes;
    from = found + replacement.length;
  }
}
