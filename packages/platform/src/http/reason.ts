const longestReason = 500;

/** The text of the header `x-reason`: percent-encoded UTF-8; undefined for an empty one. */
export function reasonIn(header: string | string[] | undefined): string | undefined {
  const text = decoded([header].flat().join(' ')).trim().slice(0, longestReason);
  return text === '' ? undefined : text;
}

/** A text that is not percent-encoded is taken as it is: the reason matters, not its spelling. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
