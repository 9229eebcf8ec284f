import { AsyncLocalStorage } from 'node:async_hooks';
import { withinTrace } from '../tracing/current-trace.ts';

const account = new AsyncLocalStorage<string | null>();

/**
 * Runs `work`, and everything that it begins and awaits, on behalf of an account: the name of a person or program. Null: the node does it by
 * itself, or nobody has an account.
 */
export const onBehalfOf = <Result>(name: string | null, work: () => Result): Result => account.run(name, work);

/** Runs what a node does by itself, also if a request began it: for nobody, and in no trace. */
export const byItself = <Result>(work: () => Result): Result => onBehalfOf(null, () => withinTrace(undefined, work));

/** The account on whose behalf this code runs. */
export const actingAccount = (): string | null => account.getStore() ?? null;
