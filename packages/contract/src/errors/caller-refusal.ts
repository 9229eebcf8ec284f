import type { Caller } from '../caller.ts';
import { ApiError } from '../errors.ts';

/** A request in a session that lacks the token of its page, or the PIN of its tablet: refused, and recorded with the person of the session. */
export class CallerRefusal extends ApiError<'csrf_token_wrong' | 'pin_entry_ended'> {
  readonly caller: Caller;

  constructor(caller: Caller) {
    super(caller.kind === 'tablet' ? 'pin_entry_ended' : 'csrf_token_wrong', {});
    this.caller = caller;
  }
}
