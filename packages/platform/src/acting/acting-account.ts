import { AsyncLocalStorage } from 'node:async_hooks';

const account = new AsyncLocalStorage<string | null>();

/**
 * Runs `work`, and everything that it begins and awaits, on behalf of an account: the name of a person or program. Null: the node does it by
 * itself, or nobody has an account.
 */
export const onBehalfOf = <Result>(name: string | null, work: () => Result): Result => account.run(name, work);

/** The account on whose behalf this code runs. */
export const actingAccount = (): string | null => account.getStore() ?? null;
