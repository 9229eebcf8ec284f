import { createClient, leaderApi, ProblemError } from '@lcs/contract';

/** A value whose last answered write is known, and the one write that was on its way when the leader was killed. */
interface Tracked {
  answered: string | null;
  underWay: string | null | undefined;
}

/** One client that continuously writes to resources of its own, and records the answers. */
export class Writer {
  readonly descriptions = new Map<string, Tracked>();
  readonly labels = new Map<string, Tracked>();
  readonly assignment: Tracked = { answered: null, underWay: undefined };
  /** Texts of answered saves of the configuration. */
  readonly saves: string[] = [];
  answers = 0;
  readonly #name: string;
  #created = 0;
  #steps = 0;

  constructor(name: string) {
    this.#name = name;
  }

  get unit(): string {
    return `unit-${this.#name}`;
  }

  /** Writes until the connection breaks; any other failure is thrown. */
  async writeUntilGone(url: string, config: string, afterAnswer: () => void): Promise<void> {
    const client = createClient(leaderApi, { baseUrl: url });
    try {
      await client.registerWorker({ body: { reactor_unit: this.unit } });
      for (;;) {
        await this.#step(client, config);
        this.answers += 1;
        afterAnswer();
      }
    } catch (error) {
      if (!(error instanceof ProblemError && error.kind === 'network')) throw error;
    }
  }

  async #step(client: ReturnType<typeof createClient<typeof leaderApi>>, config: string): Promise<void> {
    const step = this.#steps++;
    const newest = `${this.#name}-${this.#created}`;
    const params = { experiment: newest };
    if (step % 6 === 0) {
      this.#created += 1;
      const experiment = `${this.#name}-${this.#created}`;
      const body = { experiment, description: `${step}`, tags: ['one', 'two'] };
      await track(this.descriptions, experiment, `${step}`, () => client.createExperiment({ body }));
    } else if (step % 6 === 1) {
      await follow(this.assignment, newest, () => client.assignWorker({ params, body: { reactor_unit: this.unit } }));
    } else if (step % 6 === 2) {
      await track(this.descriptions, newest, `${step}`, () =>
        client.updateExperiment({ params, body: { description: `${step}` } }),
      );
    } else if (step % 6 === 3) {
      const body = { unit: this.unit, label: `label ${step}` };
      await track(this.labels, newest, body.label, () => client.putUnitLabel({ params, body }));
    } else if (step % 6 === 4 && step % 12 > 6) {
      const code = `${config}; saved by ${this.#name} at ${step}\n`;
      await client.saveSharedConfig({ body: { code } });
      this.saves.push(code);
    } else if (step % 18 === 5) {
      // Deletes the experiment, and with it the assignment of its unit.
      await track(this.descriptions, newest, null, () =>
        follow(this.assignment, null, () => client.deleteExperiment({ params })),
      );
      this.labels.delete(newest);
    }
  }
}

async function follow(tracked: Tracked, value: string | null, write: () => Promise<unknown>): Promise<void> {
  tracked.underWay = value;
  await write();
  tracked.answered = value;
  tracked.underWay = undefined;
}

async function track(
  all: Map<string, Tracked>,
  key: string,
  value: string | null,
  write: () => Promise<unknown>,
): Promise<void> {
  const tracked = all.get(key) ?? { answered: null, underWay: undefined };
  all.set(key, tracked);
  await follow(tracked, value, write);
}

/** Whether what is there now is what was answered last, or the write that was on its way. */
export const isExplained = (tracked: Tracked, found: string | null): boolean =>
  found === tracked.answered || (tracked.underWay !== undefined && found === tracked.underWay);
