/**
 * The `code` of an error of the operating system; undefined for any other error. As `errnoOf` of the platform, whose index
 * would bring all of a node into the guard's process.
 */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
