import type { IncomingMessage } from 'node:http';
import type { IncomingUpload, StagedUpload, UploadDeclaration } from '@lcs/contract';

/** What is expected of a file that comes in. */
export interface ExpectedUpload {
  /** Name of the form's part that is the file. */
  readonly field: string;
  /** The largest whole body. */
  readonly limitBytes: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** Takes files from requests to the disk. */
export interface UploadReceiver {
  /** @throws ApiError `upload_invalid`, `body_too_large`, `storage_full`, or CallerGone; nothing is left on the disk then */
  receive(request: IncomingMessage, expected: ExpectedUpload): Promise<StagedUpload>;
}

/** The file of a request, for its handler to read when everything else is checked. */
export const incomingUpload = (
  { field, limitBytes: declaredBytes }: UploadDeclaration,
  exchange: { readonly signal: AbortSignal },
  request: IncomingMessage,
  receiver: UploadReceiver | undefined,
): IncomingUpload => ({
  receive: ({ limitBytes = declaredBytes } = {}) => {
    if (receiver === undefined) throw new Error('This server has no place for files.');
    return receiver.receive(request, { field, limitBytes, signal: exchange.signal });
  },
});
