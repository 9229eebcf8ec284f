/** The first line of the text of an error, for the middle of a sentence. */
export const firstLine = (text: string): string => (text.split('\n')[0] ?? '').replace(/\.$/, '');
