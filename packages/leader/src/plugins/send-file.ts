import { openAsBlob } from 'node:fs';
import { hasShape, isErrorBody, Uploaded } from '@lcs/contract';
import type { PluginSource } from '@lcs/node';
import type { Clock } from '@lcs/platform';
import type { NodeAgent, NodeHeaders } from '../core/leader-context.ts';
import { fetchOver } from '../fleet/node-connections.ts';

/** A unit rejected a file; the message has the reason. */
export class FileRejected extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FileRejected';
  }
}

/** A plugin has 64 MiB at most: a longer transfer is stalled. */
const limitMs = 60_000;

export interface SendFileOptions {
  readonly signal: AbortSignal;
  readonly wire: Pick<Clock, 'after'>;
  readonly nodeHeaders: NodeHeaders;
  readonly nodeAgent: NodeAgent;
}

const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // An answer that is not JSON does not come from a node; its status is reported.
    return undefined;
  }
};

/**
 * Sends a file to the node at `base`; returns its upload ID there.
 * @throws FileRejected
 */
export async function sendFile(
  base: string,
  { path, fileName }: PluginSource,
  { signal, wire, nodeHeaders, nodeAgent }: SendFileOptions,
): Promise<string> {
  const late = new AbortController();
  const cancel = wire.after(limitMs, () =>
    late.abort(new Error(`The unit did not receive the file within ${limitMs / 1000} s.`)),
  );
  const either = AbortSignal.any([signal, late.signal]);
  const form = new FormData();
  form.set('file', await openAsBlob(path), fileName);
  let answer: Response;
  let text: string;
  try {
    const url = new URL('/unit_api/system/upload', base);
    const send = fetchOver(await nodeAgent(url));
    answer = await send(url, { method: 'POST', headers: nodeHeaders(url), body: form, signal: either });
    text = await answer.text();
  } catch (error) {
    signal.throwIfAborted();
    throw new FileRejected(error instanceof Error ? error.message : String(error));
  } finally {
    cancel();
  }
  const body = jsonOr(text);
  if (answer.ok && hasShape(Uploaded, body)) return body.upload_id;
  throw new FileRejected(isErrorBody(body) ? body.cause : `The unit answered with HTTP ${answer.status}.`);
}
