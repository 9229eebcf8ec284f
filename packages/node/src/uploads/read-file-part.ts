import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { ApiError } from '@lcs/contract';
import { ClientDisconnected, type ExpectedUpload } from '@lcs/platform';

/** More than any form of this program has; limits a flood of small parts. */
const partLimits = { fields: 32, fieldSize: 16 * 1024, files: 8, parts: 40, headerPairs: 64 };

/** Receives the content of the file; `name` as sent. Must clean up when the stream fails. */
type TakeFile<Taken> = (content: Readable, name: string) => Promise<Taken>;

function openForm(request: IncomingMessage, field: string): BusboyInstance {
  const contentType = request.headers['content-type'] ?? '';
  const invalid = (cause: string) => new ApiError('upload_invalid', { cause, field });
  if (!/^multipart\/form-data\s*;/i.test(contentType)) throw invalid('The request is not a multipart form.');
  try {
    const headers = { ...request.headers, 'content-type': contentType };
    return new Busboy({ headers, limits: partLimits, preservePath: true });
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Passes the file of a form to `take` as it arrives. Rejects on a fault, after `take` has ended: with `upload_invalid`, with
 * `body_too_large` when the body exceeds the limit (the rest is left unread), with
 * `ClientDisconnected`, with the signal's reason, or with the error of `take`.
 */
export async function readFilePart<Taken>(
  request: IncomingMessage,
  { field, limitBytes, signal }: ExpectedUpload,
  take: TakeFile<Taken>,
): Promise<Taken> {
  if (request.destroyed) throw new ClientDisconnected();
  signal.throwIfAborted();
  const form = openForm(request, field);
  const fault = Promise.withResolvers<never>();
  const ended = Promise.withResolvers<void>();
  const fail = (error: Error) => fault.reject(error);
  const invalid = (cause: string) => fail(new ApiError('upload_invalid', { cause, field }));
  let taking: { readonly content: Readable; readonly done: Promise<Taken> } | undefined;
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    if (size > limitBytes) fail(new ApiError('body_too_large', { limitBytes }));
    else if (!form.write(chunk)) request.pause();
  };
  const onEnd = () => form.end();
  const onClose = () => {
    if (!request.complete) fail(new ClientDisconnected());
  };
  const onAbort = () => fail(signal.reason);
  form.on('drain', () => request.resume());
  form.on('error', (error: unknown) => invalid(`The form is not well-formed: ${String(error)}.`));
  form.on('file', (name, content, fileName) => {
    content.on('error', () => {});
    if (name !== field || taking !== undefined) content.resume();
    else {
      const done = take(content, fileName ?? '');
      taking = { content, done };
      done.catch(fail);
    }
  });
  form.on('finish', () =>
    taking === undefined ? invalid(`There is no file in the part '${field}'.`) : ended.resolve(),
  );
  request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([ended.promise, fault.promise]);
    if (taking === undefined) throw new Error('A form ended without its file.');
    return await Promise.race([taking.done, fault.promise]);
  } catch (error) {
    request.pause();
    taking?.content.destroy(error instanceof Error ? error : new Error(String(error)));
    await Promise.allSettled([taking?.done]);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
  }
}
