interface ErrorText {
  readonly error: string;
  readonly cause?: string;
  readonly remediation: string;
  /** The option, setting, parameter or body field at fault. */
  readonly field?: string | undefined;
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
