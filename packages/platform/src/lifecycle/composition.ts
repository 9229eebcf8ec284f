import type { Service } from './in-order.ts';

/** What one stage of a composition adds. */
export interface Stage<Outputs extends object> {
  /** For the stages after it. */
  readonly outputs: Outputs;
  /** In the order of their start; they stop in reverse order. */
  readonly services: readonly Service[];
}

/**
 * Composes a node or a role in stages. A stage is a function of the outputs of the stages before it: a stage in the wrong place does not
 * compile. Services start in the order of the stages.
 */
export class Composition<Outputs extends object> implements Stage<Outputs> {
  readonly outputs: Outputs;
  readonly services: readonly Service[];

  private constructor(outputs: Outputs, services: readonly Service[]) {
    this.outputs = outputs;
    this.services = services;
  }

  /** @param given what the first stage receives */
  static of<Given extends object>(given: Given): Composition<Given> {
    return new Composition(given, []);
  }

  /** The same for a stage that opens something first. */
  async open<Added extends object>(
    stage: (inputs: Outputs) => Promise<Stage<Added>>,
  ): Promise<Composition<Outputs & Added>> {
    const opened = await stage(this.outputs);
    return this.add(() => opened);
  }

  add<Added extends object>(stage: (inputs: Outputs) => Stage<Added>): Composition<Outputs & Added> {
    const { outputs, services } = stage(this.outputs);
    return new Composition({ ...this.outputs, ...outputs }, [...this.services, ...services]);
  }
}
