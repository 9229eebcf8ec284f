import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { boundedLines } from './bounded-lines.ts';

it('returns lines, and of a line without an end no more than the limit', async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  boundedLines(stream, 10, (line) => lines.push(line));
  for (const text of ['on', 'e\r\ntwo\n', '\n', 'x'.repeat(100), 'y'.repeat(100), '\nlast']) stream.write(text);
  stream.end();
  await new Promise((resolve) => stream.on('end', resolve));
  expect(lines).toEqual(['one', 'two', '', 'x'.repeat(10), 'last']);
});
