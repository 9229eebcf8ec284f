import { definitionFault, type JobDefinition } from './job-definition.ts';

function expectValid(definition: JobDefinition): void {
  const fault = definitionFault(definition);
  if (fault !== undefined) throw new Error(fault);
}

/** The kinds of jobs that a node can run: its own, and those that plugins add and remove at runtime. */
export class JobCatalog {
  readonly #own = new Map<string, JobDefinition>();
  #added: ReadonlyMap<string, JobDefinition> = new Map();

  /** @throws Error for invalid definitions: a mistake in the program */
  addOwn(definitions: readonly JobDefinition[]): void {
    for (const definition of definitions) {
      expectValid(definition);
      if (this.#own.has(definition.name)) throw new Error(`The job ${definition.name} is declared twice.`);
      this.#own.set(definition.name, definition);
    }
  }

  /**
   * Replaces all added definitions; one with the name of an own job overrides it. Running jobs keep the definition of their start.
   * @throws Error for invalid definitions, without a change
   */
  setAdded(definitions: readonly JobDefinition[]): void {
    const added = new Map<string, JobDefinition>();
    for (const definition of definitions) {
      expectValid(definition);
      if (added.has(definition.name)) throw new Error(`The job ${definition.name} is added twice.`);
      added.set(definition.name, definition);
    }
    this.#added = added;
  }

  get(name: string): JobDefinition | undefined {
    return this.#added.get(name) ?? this.#own.get(name);
  }

  /** Without those that plugins add. */
  own(): readonly JobDefinition[] {
    return [...this.#own.values()];
  }

  /** Own ones first. */
  all(): readonly JobDefinition[] {
    return [...new Map([...this.#own, ...this.#added]).values()];
  }
}
