/** Control characters, and the two separators that many programs show as a line break. */
const unprintable = /[\p{Cc}\u2028\u2029]/u;

/** Whether a text has characters that a line of a table, a topic or a file cannot show. */
export const hasUnprintable = (text: string): boolean => unprintable.test(text) || !text.isWellFormed();

/** Length as a person counts it: code points, so that an emoji of one code point is one character. */
export const characterCount = (text: string): number => [...text].length;

/** The result of a validation: the normalised input, or why it is not valid. */
export type Validated<Kept> = ({ readonly ok: true } & Kept) | { readonly ok: false; readonly cause: string };

export const invalid = (cause: string): { readonly ok: false; readonly cause: string } => ({ ok: false, cause });
