/** Control characters, and the two separators that many programs show as a line break. */
const unprintable = /[\p{Cc}\u2028\u2029]/u;

/** Whether a text holds something that a line of a table, a topic or a file cannot show. */
export const hasUnprintable = (text: string): boolean => unprintable.test(text) || !text.isWellFormed();

/** Length as a person counts it: code points, so that an emoji of one code point is one character. */
export const characterCount = (text: string): number => [...text].length;
