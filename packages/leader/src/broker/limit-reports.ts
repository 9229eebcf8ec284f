import type { Log, LogFields } from '@lcs/platform';

/** Reports of one period; beyond it they are only counted, so that clients under many names cannot fill the log. */
const mostReports = 50;

/** Logs once in a period which client exceeded which limit. */
export class LimitReports {
  readonly #log: Log;
  readonly #reported = new Set<string>();
  #unreported = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  report(message: string, client: string | undefined, fields: LogFields = {}): void {
    const key = `${message}\n${client}`;
    if (this.#reported.has(key)) return;
    if (this.#reported.size >= mostReports) {
      this.#unreported += 1;
      return;
    }
    this.#reported.add(key);
    this.#log.warn(message, { ...(client !== undefined && { client }), ...fields });
  }

  /** Begins a new period. */
  renew(): void {
    if (this.#unreported > 0)
      this.#log.warn('More MQTT clients exceeded limits of the broker', { times: this.#unreported });
    this.#reported.clear();
    this.#unreported = 0;
  }
}
