/**
 * A thing that lives. Constructors do nothing; `start` brings it up and resolves when it is ready, `stop` undoes all that
 * `start` did and waits for it. `signal` aborts a start that is under way.
 */
export interface Service {
  readonly name: string;
  start(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}
