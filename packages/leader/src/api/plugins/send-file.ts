import { openAsBlob } from 'node:fs';
import { Uploaded } from '@lcs/contract';
import type { PluginSource } from '@lcs/platform';
import { Value } from 'typebox/value';

/** A unit did not take a file; the message says why. */
export class FileNotTaken extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FileNotTaken';
  }
}

/**
 * Sends a file to the node at `base`; answers the id under which it is kept there.
 * @throws FileNotTaken
 */
export async function sendFile(base: string, { path, fileName }: PluginSource, signal: AbortSignal): Promise<string> {
  const form = new FormData();
  form.set('file', await openAsBlob(path), fileName);
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(new URL('/unit_api/system/upload', base), { method: 'POST', body: form, signal });
    text = await answer.text();
  } catch (error) {
    signal.throwIfAborted();
    throw new FileNotTaken(error instanceof Error ? error.message : String(error));
  }
  const body: unknown = answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
  if (answer.ok && Value.Check(Uploaded, body)) return body.upload_id;
  const cause = typeof body === 'object' && body !== null && 'cause' in body ? String(body.cause) : '';
  throw new FileNotTaken(cause || `It answered with HTTP ${answer.status}.`);
}
