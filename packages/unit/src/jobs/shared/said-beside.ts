import type { Json } from '@lcs/contract';

/** What is said beside a value where it is published: as beside the reading in the store, and nothing when all is well. */
export const saidBeside = (flags: readonly string[]): { readonly [key: string]: Json } =>
  flags.length === 0 ? {} : { flags };
