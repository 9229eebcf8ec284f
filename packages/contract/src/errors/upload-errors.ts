import { define } from './error-definition.ts';

/** Errors of uploaded files. */
export const uploadErrors = {
  upload_invalid: define<{ cause: string; field: string }>(400, ({ cause, field }) => ({
    error: 'The request contains no file.',
    cause,
    remediation: `Send a form (multipart/form-data) whose part '${field}' is the file, with its name.`,
  })),
} as const;
