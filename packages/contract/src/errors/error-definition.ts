interface ErrorText {
  readonly error: string;
  readonly cause?: string;
  readonly remediation: string;
}

/** A row of the table of errors. */
export interface ErrorDefinition<Params> {
  readonly status: number;
  readonly text: (params: Params) => ErrorText;
}

export const define = <Params = Record<never, never>>(
  status: number,
  text: (params: Params) => ErrorText,
): ErrorDefinition<Params> => ({ status, text });
