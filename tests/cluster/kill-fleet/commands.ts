import { createClient, leaderApi, waitForTask } from '@lcs/contract';
import { dosingEventName } from '@lcs/domain';
import { realClock } from '@lcs/platform';
import type { Ledger } from '../kill-units/ledger.ts';

const job = 'add_media';
const everyMs = 700;
const longestWaitMs = 20_000;
const wire = realClock();

type Outcome = 'confirmed' | 'refused' | 'unknown';

export interface CommandsOptions {
  readonly units: readonly string[];
  readonly experiment: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Addresses of api processes that run now. */
  readonly urls: () => readonly string[];
}

/** Doses that somebody orders through the api processes, each once, whatever the answer is. */
export class Commands {
  readonly #options: CommandsOptions;
  readonly #ending = new AbortController();
  readonly #outcomes = new Map<string, Outcome>();
  readonly #running: Promise<void>;

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  /** Compares the orders with the doses that the units have recorded. */
  compare(ledgers: readonly Ledger[]) {
    // A dose can have several entries, because a pump that stops late has moved more: runs are what counts.
    const doses = new Map<string, Set<string>>();
    for (const { unit, records } of ledgers) {
      let run = '';
      for (const { more } of records) {
        if (more.kind === 'state' && more.job_name === job) run = `${unit}, run ${more.job_id}`;
        if (more.kind !== 'event' || more.name !== dosingEventName) continue;
        const { source_of_event: source } = { ...Object(more.data) };
        doses.set(String(source), (doses.get(String(source)) ?? new Set()).add(run));
      }
    }
    const names = (is: Outcome) => [...this.#outcomes].flatMap(([name, outcome]) => (outcome === is ? [name] : []));
    return {
      counts: {
        confirmed: names('confirmed').length,
        refused: names('refused').length,
        unknown: names('unknown').length,
        'unknown and carried out': names('unknown').filter((name) => doses.has(name)).length,
      },
      twice: [...doses].flatMap(([name, runs]) => (runs.size > 1 ? [`${name}: ${[...runs].join(' and ')}`] : [])),
      confirmedAndMissing: names('confirmed').filter((name) => !doses.has(name)),
      refusedAndCarriedOut: names('refused').filter((name) => doses.has(name)),
      neverOrdered: [...doses.keys()].filter((name) => !this.#outcomes.has(name)),
    };
  }

  async #run(): Promise<void> {
    const { units, urls } = this.#options;
    for (let index = 0; !this.#ending.signal.aborted; index += 1) {
      const url = urls()[index % Math.max(1, urls().length)];
      const name = `command ${index}`;
      if (url !== undefined) {
        this.#outcomes.set(name, 'unknown');
        const outcome = await this.#order(url, units[index % units.length] ?? '', name).catch((): Outcome => 'unknown');
        this.#outcomes.set(name, outcome);
      }
      await wire.sleep(everyMs, this.#ending.signal).catch(() => {});
    }
  }

  /** @throws where nobody can say whether it is carried out */
  async #order(baseUrl: string, reactor_unit: string, name: string): Promise<Outcome> {
    const { experiment, headers } = this.#options;
    const client = createClient(leaderApi, { baseUrl, headers });
    const accepted = await client.runWorkerJob({
      params: { reactor_unit, experiment, job },
      body: { options: { duration: 0.02, source_of_event: name } },
      signal: AbortSignal.timeout(longestWaitMs),
    });
    const task = await waitForTask(baseUrl, accepted, {
      headers,
      sleep: (ms) => wire.sleep(ms),
      signal: AbortSignal.timeout(longestWaitMs),
    });
    const text = JSON.stringify(task);
    if (text.includes('"ok":true')) return 'confirmed';
    return text.includes('pumps_refused') ? 'refused' : 'unknown';
  }
}
