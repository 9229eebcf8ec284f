import { openAsBlob } from 'node:fs';
import { Uploaded } from '@lcs/contract';
import type { Clock, PluginSource } from '@lcs/platform';
import { Value } from 'typebox/value';

/** A unit did not take a file; the message says why. */
export class FileNotTaken extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FileNotTaken';
  }
}

/** A plugin has 64 MiB at most: who takes longer has stopped taking it. */
const limitMs = 60_000;

export interface SendFileOptions {
  readonly signal: AbortSignal;
  readonly wire: Pick<Clock, 'after'>;
}

const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is no answer of a node; its status is said then.
    return undefined;
  }
};

/**
 * Sends a file to the node at `base`; answers the id under which it is kept there.
 * @throws FileNotTaken
 */
export async function sendFile(
  base: string,
  { path, fileName }: PluginSource,
  { signal, wire }: SendFileOptions,
): Promise<string> {
  const late = new AbortController();
  const cancel = wire.after(limitMs, () => late.abort(new Error(`It did not take it within ${limitMs / 1000} s.`)));
  const either = AbortSignal.any([signal, late.signal]);
  const form = new FormData();
  form.set('file', await openAsBlob(path), fileName);
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(new URL('/unit_api/system/upload', base), { method: 'POST', body: form, signal: either });
    text = await answer.text();
  } catch (error) {
    signal.throwIfAborted();
    throw new FileNotTaken(error instanceof Error ? error.message : String(error));
  } finally {
    cancel();
  }
  const body = jsonOr(text);
  if (answer.ok && Value.Check(Uploaded, body)) return body.upload_id;
  const cause = typeof body === 'object' && body !== null && 'cause' in body ? String(body.cause) : '';
  throw new FileNotTaken(cause || `It answered with HTTP ${answer.status}.`);
}
