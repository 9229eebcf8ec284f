/** What a person has entered cannot be used; the message is one sentence for them. */
export class InputInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InputInvalid';
  }
}
