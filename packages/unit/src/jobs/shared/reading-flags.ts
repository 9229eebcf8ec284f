/** The field `flags` of a reading and of its published value; absent without flags. */
export const flagsField = (flags: readonly string[]): { readonly flags?: readonly string[] } =>
  flags.length === 0 ? {} : { flags };
