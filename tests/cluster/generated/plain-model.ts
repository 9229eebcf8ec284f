interface PlainExperiment {
  description: string;
  tags: readonly string[];
  labels: Map<string, string>;
  overview: unknown;
  reactor: unknown;
  /** Units that ever were assigned. */
  history: Set<string>;
}

interface PlainWorker {
  active: 0 | 1;
  model: string | null;
  experiment: string | null;
}

type Fields = Readonly<Record<string, unknown>>;
const text = (value: unknown): string => String(value);

/** The resources as a page of plain code: what an answered success must have done. */
export class PlainModel {
  readonly experiments = new Map<string, PlainExperiment>();
  readonly workers = new Map<string, PlainWorker>();
  config: string;
  /** How many times the configuration was saved. */
  saves = 0;
  /** Entries of the cluster's log that single units were to have, from the source that the test stands for. */
  logged = 0;

  constructor(config: string) {
    this.config = config;
  }

  /** The experiment meant by a path, where `current` stands for the latest. */
  #meant(name: string): PlainExperiment | undefined {
    return this.experiments.get(name === 'current' ? ([...this.experiments.keys()].at(-1) ?? '') : name);
  }

  #free(name: string): void {
    for (const worker of this.workers.values()) if (worker.experiment === name) worker.experiment = null;
  }

  /** Follows one successful call. */
  apply(operation: string, params: Readonly<Record<string, string>>, body: Fields, answer: unknown): void {
    const name = params.experiment ?? '';
    const experiment = this.experiments.get(name);
    const worker = this.workers.get(params.reactor_unit ?? '');
    switch (operation) {
      case 'createExperiment': {
        const created = answer as { experiment: string; tags: string[] };
        if (this.experiments.has(created.experiment)) throw new Error(`${created.experiment} was created twice`);
        this.experiments.set(created.experiment, {
          description: text(body.description ?? ''),
          tags: created.tags,
          labels: new Map(),
          overview: null,
          reactor: null,
          history: new Set(),
        });
        return;
      }
      case 'updateExperiment':
        if (!experiment) throw new Error(`changed ${name}, which does not exist`);
        if (body.description !== undefined) experiment.description = text(body.description ?? '');
        if (body.tags !== undefined) experiment.tags = (answer as { tags: string[] }).tags;
        return;
      case 'deleteExperiment':
        if (!this.experiments.delete(name)) throw new Error(`deleted ${name}, which does not exist`);
        this.#free(name);
        return;
      case 'putUnitLabel':
      case 'patchUnitLabel': {
        const meant = this.#meant(name);
        if (!meant) throw new Error(`labelled in ${name}, which does not exist`);
        const label = text(body.label).trim();
        if (label === '') meant.labels.delete(text(body.unit));
        else meant.labels.set(text(body.unit), label);
        return;
      }
      case 'updateChartPreferences':
        if (!experiment) throw new Error(`chose charts of ${name}, which does not exist`);
        if (body.overview_chart_keys !== undefined) experiment.overview = body.overview_chart_keys;
        if (body.reactor_chart_keys !== undefined) experiment.reactor = body.reactor_chart_keys;
        return;
      case 'registerWorker':
        if (!this.workers.has(text(body.reactor_unit))) {
          const model = body.model_name == null ? null : text(body.model_name);
          this.workers.set(text(body.reactor_unit), { active: 1, model, experiment: null });
        }
        return;
      case 'removeWorker':
        if (!this.workers.delete(params.reactor_unit ?? '')) throw new Error('removed an unknown worker');
        return;
      case 'setWorkerActivation':
        if (!worker) throw new Error('changed an unknown worker');
        worker.active = Number(body.is_active) === 1 ? 1 : 0;
        return;
      case 'setWorkerModel':
        if (!worker) throw new Error('changed an unknown worker');
        worker.model = text(body.model_name);
        return;
      case 'assignWorker': {
        const assigned = this.workers.get(text(body.reactor_unit));
        if (!assigned || !experiment) throw new Error('assigned what does not exist');
        assigned.experiment = name;
        experiment.history.add(text(body.reactor_unit));
        return;
      }
      case 'unassignWorker':
        if (worker?.experiment !== name) throw new Error('unassigned what was not assigned');
        worker.experiment = null;
        return;
      case 'unassignExperimentWorkers':
        this.#free(name);
        return;
      case 'unassignAllWorkers':
        for (const one of this.workers.values()) one.experiment = null;
        return;
      case 'saveSharedConfig':
        this.config = text(body.code).replace(/[–—]/g, '-');
        this.saves += 1;
        return;
      case 'postWorkerLog':
      case 'postUnitLog':
        if (name !== '$experiment' || body.source !== 'generated') return;
        this.logged += params.reactor_unit === '$broadcast' ? Number.NaN : 1;
        return;
      default:
    }
  }
}
