/** What a rule says about a text that someone typed: the text to keep, or why it cannot be used. */
export type Verdict<Kept> = ({ readonly ok: true } & Kept) | { readonly ok: false; readonly cause: string };

export const refused = (cause: string): { readonly ok: false; readonly cause: string } => ({ ok: false, cause });
