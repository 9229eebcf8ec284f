/** A notice could not be delivered; the message is for people and contains no secret. */
export class DeliveryFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DeliveryFailed';
  }
}

const longest = 500;

/** The reason of a failure, for people: one line, shortened, without the texts in `secrets`. */
export function failureText(error: unknown, secrets: readonly (string | null | undefined)[] = []): string {
  let text = error instanceof Error ? reasonsOf(error) : String(error);
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '***');
  return text.replace(/\s+/g, ' ').trim().slice(0, longest) || 'It gave no reason.';
}

/** The error of `fetch` has its reason in `cause`. */
function reasonsOf({ message, cause }: Error): string {
  const inner = cause instanceof Error ? cause.message : '';
  return inner === '' || message.includes(inner) ? message : `${message}: ${inner}`;
}
