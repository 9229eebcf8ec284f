import type { Readable } from 'node:stream';

/** Calls `onLine` with each line of a stream. What a line has beyond `mostChars` is dropped as it comes: lines may never end. */
export function boundedLines(stream: Readable, mostChars: number, onLine: (line: string) => void): void {
  let line = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const parts = text.split('\n');
    for (const [index, part] of parts.entries()) {
      line = (line + part.slice(0, mostChars)).slice(0, mostChars);
      if (index === parts.length - 1) break;
      onLine(line.replace(/\r$/, ''));
      line = '';
    }
  });
  stream.on('end', () => {
    if (line !== '') onLine(line);
  });
}
