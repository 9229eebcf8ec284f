import type { Readable } from 'node:stream';

/**
 * Calls `onLine` with each line of a stream. Characters of a line beyond `maxChars` are dropped as they arrive, because lines may never
 * end.
 */
export function boundedLines(stream: Readable, maxChars: number, onLine: (line: string) => void): void {
  let line = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const parts = text.split('\n');
    for (const [index, part] of parts.entries()) {
      line = (line + part.slice(0, maxChars)).slice(0, maxChars);
      if (index === parts.length - 1) break;
      onLine(line.replace(/\r$/, ''));
      line = '';
    }
  });
  stream.on('end', () => {
    if (line !== '') onLine(line);
  });
}
