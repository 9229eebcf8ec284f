/** Maximum characters of a name or value in a message: a file of another kind may be one long text. */
const maxShown = 60;

/** The beginning of a long text. */
export const shortened = (text: string): string => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
