import { type PlainExperiment, type PlainNote, type PlainState, type PlainWorker, withVersion } from './plain-state.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One call that was answered with a declared success. */
export interface Change {
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Fields;
  readonly answer: unknown;
}

const text = (value: unknown): string => String(value);
const fieldsOf = (value: unknown): Fields => ({ ...(typeof value === 'object' ? value : {}) });

class Impossible extends Error {}

function findExperiment(state: PlainState, name: string): PlainExperiment {
  const found = state.experiments.find(([known]) => known === name)?.[1];
  if (!found) throw new Impossible(`${name} does not exist`);
  return found;
}

function findWorker(state: PlainState, name: string): PlainWorker {
  const found = state.workers.get(name);
  if (!found) throw new Impossible(`${name} is no worker`);
  return found;
}

function free(state: PlainState, experiment: string): void {
  for (const worker of state.workers.values()) if (worker.experiment === experiment) worker.experiment = null;
}

const noteOf = (answer: unknown): PlainNote => {
  const { kind, text: noteText, author, reactor_unit, volume_ml } = answer as PlainNote;
  return { kind, text: noteText, author, reactor_unit, volume_ml };
};

type Apply = (state: PlainState, change: Change) => void;

function createExperiment(state: PlainState, { body, answer }: Change): void {
  const { experiment: name, tags } = answer as { experiment: string; tags: string[] };
  if (state.experiments.some(([known]) => known === name)) throw new Impossible(`${name} was created twice`);
  const experiment: PlainExperiment = {
    description: text(body.description ?? ''),
    tags,
    labels: new Map(),
    overview: null,
    reactor: null,
    history: [],
    hasEnded: false,
    isArchived: false,
    groups: [],
    notes: {},
  };
  state.experiments.push([name, experiment]);
}

/** An experiment that runs is in no archive. */
function reopen(experiment: PlainExperiment): void {
  if (!experiment.hasEnded) return;
  experiment.hasEnded = false;
  experiment.isArchived = false;
}

function updateExperiment(state: PlainState, { params, body, answer }: Change): void {
  const name = params.experiment ?? '';
  const experiment = findExperiment(state, name);
  const after = answer as { tags: string[] };
  if (body.description !== undefined) experiment.description = text(body.description ?? '');
  if (body.tags !== undefined) experiment.tags = after.tags;
  const endsOrHasEnded = body.ended_at === undefined ? experiment.hasEnded : body.ended_at !== null;
  if (body.archived !== undefined) {
    experiment.isArchived = Number(body.archived) === 1;
    if (experiment.isArchived && !endsOrHasEnded) throw new Impossible(`${name} runs, so that it is not archived`);
  }
  if (endsOrHasEnded && !experiment.hasEnded && body.keep_workers !== true) free(state, name);
  if (endsOrHasEnded) experiment.hasEnded = true;
  else reopen(experiment);
}

function deleteExperiment(state: PlainState, { params: { experiment: name = '' } }: Change): void {
  findExperiment(state, name);
  state.experiments = state.experiments.filter(([known]) => known !== name);
  free(state, name);
}

function labelUnit(state: PlainState, { params: { experiment: name = '' }, body }: Change): void {
  const meant = name === 'current' ? (state.experiments.at(-1)?.[0] ?? '') : name;
  const { labels } = findExperiment(state, meant);
  const label = text(body.label).trim();
  const unit = text(body.unit);
  const holder = [...labels].find(([of, one]) => one === label && of !== unit);
  if (holder) throw new Impossible(`${label} is the label of ${holder[0]}`);
  if (label === '') labels.delete(unit);
  else labels.set(unit, label);
}

function replaceGroups(state: PlainState, { params, answer }: Change): void {
  const { groups } = findExperiment(state, params.experiment ?? '');
  const now = answer as readonly unknown[];
  if (JSON.stringify(groups.at(-1) ?? []) !== JSON.stringify(now)) groups.push(now);
}

function assignWorker(state: PlainState, { params: { experiment: name = '' }, body }: Change): void {
  const experiment = findExperiment(state, name);
  const unit = text(body.reactor_unit);
  findWorker(state, unit).experiment = name;
  experiment.history = [...new Set([...experiment.history, unit])].sort();
  reopen(experiment);
}

function unassignWorker(state: PlainState, { params }: Change): void {
  const worker = findWorker(state, params.reactor_unit ?? '');
  if (worker.experiment !== params.experiment) throw new Impossible('it was not assigned');
  worker.experiment = null;
}

function registerWorker(state: PlainState, { body }: Change): void {
  const name = text(body.reactor_unit);
  const model = body.model_name == null ? null : text(body.model_name);
  if (!state.workers.has(name)) state.workers.set(name, { active: 1, model, experiment: null });
}

const ownFile = (unit: string): string => `unit_config.ini::${unit}`;

function removeWorker(state: PlainState, { params: { reactor_unit = '' } }: Change): void {
  findWorker(state, reactor_unit);
  state.workers.delete(reactor_unit);
  state.configs.delete(ownFile(reactor_unit));
}

function saveConfig(state: PlainState, filename: string, body: Fields): void {
  const code = text(body.code).replace(/[–—]/g, '-');
  state.configs.set(filename, withVersion(state.configs.get(filename), code));
}

function saveConfigFile(state: PlainState, { params: { filename = '' }, body }: Change): void {
  const name = filename.split(/[/\\]/).at(-1) ?? '';
  const unit = /^config_(.+)\.ini$/.exec(name)?.[1];
  saveConfig(state, unit === undefined ? name : ownFile(unit), body);
}

function setProfile(state: PlainState, filename: unknown, body: Fields): void {
  state.profiles.set(text(filename).trim(), text(body.body));
}

function createProfile(state: PlainState, { body }: Change): void {
  if (state.profiles.has(text(body.filename).trim())) throw new Impossible('there is such a profile');
  setProfile(state, body.filename, body);
}

function deleteProfile(state: PlainState, { params: { filename = '' } }: Change): void {
  if (!state.profiles.delete(filename)) throw new Impossible('there is no such profile');
}

function updateCharts(state: PlainState, { params, body }: Change): void {
  const experiment = findExperiment(state, params.experiment ?? '');
  if (body.overview_chart_keys !== undefined) experiment.overview = body.overview_chart_keys;
  if (body.reactor_chart_keys !== undefined) experiment.reactor = body.reactor_chart_keys;
}

/** What each successful change must have done. */
const changes: Readonly<Record<string, Apply>> = {
  createExperiment,
  updateExperiment,
  deleteExperiment,
  putUnitLabel: labelUnit,
  patchUnitLabel: labelUnit,
  replaceReplicateGroups: replaceGroups,
  createNote: (state, { params, answer }) => {
    const id = Number(fieldsOf(answer).note_id);
    findExperiment(state, params.experiment ?? '').notes[id] = noteOf(answer);
  },
  updateNote: (state, { params, body }) => {
    const { notes } = findExperiment(state, params.experiment ?? '');
    const before = notes[Number(params.note_id)];
    if (!before) throw new Impossible('there is no such note');
    const { text: noteText, author, kind, reactor_unit, volume_ml } = body;
    notes[Number(params.note_id)] = {
      kind: text(kind ?? before.kind),
      text: noteText === undefined ? before.text : text(noteText).trim(),
      author: author === undefined ? before.author : author === null ? null : text(author).trim() || null,
      reactor_unit: reactor_unit === undefined ? before.reactor_unit : (reactor_unit as string | null),
      volume_ml: volume_ml === undefined ? before.volume_ml : (volume_ml as number | null),
    };
  },
  deleteNote: (state, { params }) => {
    const { notes } = findExperiment(state, params.experiment ?? '');
    if (!(Number(params.note_id) in notes)) throw new Impossible('there is no such note');
    delete notes[Number(params.note_id)];
  },
  updateChartPreferences: updateCharts,
  registerWorker,
  setUpWorker: (state, { body }) => {
    if (state.workers.has(text(body.name))) throw new Impossible('it was a worker already');
    state.workers.set(text(body.name), { active: 1, model: text(body.model), experiment: null });
  },
  removeWorker,
  setWorkerActivation: (state, { params, body }) => {
    findWorker(state, params.reactor_unit ?? '').active = Number(body.is_active) === 1 ? 1 : 0;
  },
  setWorkerModel: (state, { params, body }) => {
    findWorker(state, params.reactor_unit ?? '').model = text(body.model_name);
  },
  assignWorker,
  unassignWorker,
  unassignExperimentWorkers: (state, { params }) => free(state, params.experiment ?? ''),
  unassignAllWorkers: (state) => {
    for (const one of state.workers.values()) one.experiment = null;
  },
  saveSharedConfig: (state, { body }) => saveConfig(state, 'config.ini', body),
  saveSpecificConfig: (state, { params, body }) => saveConfig(state, ownFile(params.reactor_unit ?? ''), body),
  saveConfigFile,
  // Of the leader's own node.
  saveOwnSpecificConfig: (state, { body }) => saveConfig(state, ownFile('lead'), body),
  saveOwnSpecificConfigByPost: (state, { body }) => saveConfig(state, ownFile('lead'), body),
  createExperimentProfile: createProfile,
  createContributedProfile: createProfile,
  saveExperimentProfile: (state, { params, body }) => setProfile(state, params.filename, body),
  saveContributedProfile: (state, { body }) => setProfile(state, body.filename, body),
  deleteExperimentProfile: deleteProfile,
  deleteContributedProfile: deleteProfile,
};

/** Whether the model follows it, so that two at once can be told apart only by their effects. */
export const isFollowed = (operation: string): boolean => Object.hasOwn(changes, operation);

/** The resources as a page of plain code: what an answered success must have done. */
export class PlainModel {
  #state: PlainState;

  constructor(state: PlainState) {
    this.#state = structuredClone(state);
  }

  get state(): Readonly<PlainState> {
    return this.#state;
  }

  get experiments(): readonly string[] {
    return this.#state.experiments.map(([name]) => name);
  }

  get workers(): readonly (readonly [string, PlainWorker])[] {
    return [...this.#state.workers];
  }

  /** Follows one successful call. */
  apply(change: Change): void {
    changes[change.operation]?.(this.#state, change);
  }

  /** Follows calls that overlapped: in one of their orders they must have led to this state. */
  applyTogether(overlapping: readonly Change[], actual: PlainState): boolean {
    for (const order of ordersOf(overlapping)) {
      const next = new PlainModel(this.#state);
      try {
        for (const change of order) next.apply(change);
      } catch (error) {
        if (error instanceof Impossible) continue;
        throw error;
      }
      if (canonical(next.#state) === canonical(actual)) {
        this.#state = next.#state;
        return true;
      }
    }
    return false;
  }
}

function* ordersOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  if (items.length <= 1) yield items;
  else {
    for (const [at, first] of items.entries()) {
      for (const rest of ordersOf(items.toSpliced(at, 1))) yield [first, ...rest];
    }
  }
}

/** The same for the same things, whatever the order of keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => {
    if (one instanceof Map) return [...one].sort(([a], [b]) => (a < b ? -1 : 1));
    return one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one;
  });
