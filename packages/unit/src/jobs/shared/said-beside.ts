/** What is said beside a value, in the store and where it is published: nothing when all is well. */
export const saidBeside = (flags: readonly string[]): { readonly flags?: readonly string[] } =>
  flags.length === 0 ? {} : { flags };
