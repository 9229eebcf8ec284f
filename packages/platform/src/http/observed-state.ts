/** The state of what a request changes, as its record shows it; undefined: there is none. */
export type ObservedState = Readonly<Record<string, unknown>> | undefined;

/** A state that was read before the handler ran. */
export interface Observed {
  readonly before: ObservedState;
}
