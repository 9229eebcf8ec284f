import { AsyncLocalStorage } from 'node:async_hooks';

/** The span that is open, as the header `traceparent` (W3C Trace Context); undefined: none. */
const current = new AsyncLocalStorage<string | undefined>();

/** Runs `work`, and everything that it begins and awaits, within a span; undefined: in none. */
export const withinTrace = <Result>(traceparent: string | undefined, work: () => Result): Result =>
  traceparent === current.getStore() ? work() : current.run(traceparent, work);

export const currentTrace = (): string | undefined => current.getStore();

/** The header of a request to another node, whose spans then belong to the same trace. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const traceparent = current.getStore();
  return traceparent === undefined ? {} : { traceparent };
}
