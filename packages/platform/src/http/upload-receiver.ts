import type { IncomingMessage } from 'node:http';
import type { IncomingUpload, StagedUpload, UploadDeclaration } from '@lcs/contract';

/** The constraints on an uploaded file. */
export interface ExpectedUpload {
  /** Name of the form's part that is the file. */
  readonly field: string;
  /** The largest whole body. */
  readonly limitBytes: number;
  /** Aborts the upload. */
  readonly signal: AbortSignal;
}

/** Writes uploaded files to disk. */
export interface UploadReceiver {
  /** @throws ApiError `upload_invalid`, `body_too_large`, `storage_full`, or ClientDisconnected; leaves nothing on disk then */
  receive(request: IncomingMessage, expected: ExpectedUpload): Promise<StagedUpload>;
}

/** The file of a request; its handler reads it after all other checks. */
export const incomingUpload = (
  { field, limitBytes: declaredBytes }: UploadDeclaration,
  exchange: { readonly signal: AbortSignal },
  request: IncomingMessage,
  receiver: UploadReceiver | undefined,
): IncomingUpload => ({
  receive: ({ limitBytes = declaredBytes } = {}) => {
    if (receiver === undefined) throw new Error('This server does not accept files.');
    return receiver.receive(request, { field, limitBytes, signal: exchange.signal });
  },
});
