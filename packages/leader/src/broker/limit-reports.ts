import type { Log, LogFields } from '@lcs/platform';

/** Reports per period; more are only counted, so that clients under many names cannot fill the log. */
const mostReports = 50;

/** Logs once per period which client exceeded which limit. */
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

  /** Starts a new period. */
  renew(): void {
    if (this.#unreported > 0)
      this.#log.warn('More MQTT clients exceeded limits of the broker', { times: this.#unreported });
    this.#reported.clear();
    this.#unreported = 0;
  }
}
