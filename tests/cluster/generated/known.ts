import type { GrowthDerivation } from '@lcs/contract';
import type { Static } from 'typebox';
import type { PlainModel } from './plain-model.ts';
import type { RealUnitModel } from './unit-model.ts';

/** Which node a request goes to. */
export type NodeName = 'leader' | 'unit';

/** What they are called. */
export const nodeNames: Readonly<Record<NodeName, string>> = { leader: 'lead', unit: 'alone' };

/** Names of members that every object inherits: a look-up by such a name must find only what was stored under it. */
export const prototypeNames = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'] as const;

/** Units of the leader: machines of their own (`real`), or such that only answer. */
export const realUnits = ['real1', 'real2'] as const;
export const toyUnits: readonly string[] = ['rx0', 'rx1', 'rx2', 'rx3', ...prototypeNames.slice(0, 2)];
/** Machines that enrol and are not reachable afterwards. */
export const newUnits: readonly string[] = ['new0', 'new1', 'new2', 'new3', 'new4', ...prototypeNames.slice(2)];
/** A worker that has enrolled and is not reachable: an alarm from the start. */
export const lostUnit = 'lost';
/** Refuses everything. */
export const refusingUnit = 'refuses';
/** Takes its time. */
export const lateUnit = 'late';
export const unitNames: readonly string[] = [...realUnits, ...toyUnits];

/** An experiment with readings, that is there from the start and stays. */
export const measured = 'measured';

export const experimentNames: readonly string[] = [
  ...Array.from({ length: 19 }, (_, index) => `experiment ${index}`),
  ...prototypeNames,
];

/** A calibration session as its last answer has shown it. */
export interface SeenSession {
  readonly id: string;
  readonly device: string;
  readonly isLive: boolean;
  readonly fields: readonly SeenField[];
}

export interface SeenField {
  readonly name: string;
  readonly field_type: string;
  readonly default: unknown;
  readonly options: readonly string[] | null;
  readonly minimum: number | null;
}

/** A run of a profile, as it was listed last. */
export interface SeenRun {
  readonly experiment: string;
  readonly run_id: string;
  readonly ended_at: string | null;
}

export interface SeenStill {
  readonly image_id: string;
  readonly experiment: string;
  readonly reactor_unit?: string;
}

const kept = 12;

/** The newest of things that were answered; older ones may be gone. */
export class Recent<Item> {
  #items: readonly Item[] = [];
  add(item: Item): void {
    this.#items = [...this.#items, item].slice(-kept);
  }
  get all(): readonly Item[] {
    return this.#items;
  }
}

/** Files that a request may bring; made once. */
export interface Archives {
  readonly release: Uint8Array<ArrayBuffer>;
  /** Data folders as zip, by node. */
  readonly data: Readonly<Record<NodeName | 'real1', Uint8Array<ArrayBuffer>>>;
}

/** State of the world according to all answers so far. */
export class Known {
  model: PlainModel;
  readonly unit: RealUnitModel;
  /** The configuration with which it all began; it is saved again and again. */
  readonly config: string;
  readonly archives: Archives;
  /** Paths below a drive's folder that hold a release, a plugin. */
  readonly taskIds: Readonly<Record<NodeName, Recent<string>>> = { leader: new Recent(), unit: new Recent() };
  /** Tasks of real units. */
  readonly taskIdsOfWorkers = new Recent<{ readonly reactor_unit: string; readonly task_id: string }>();
  readonly uploads: Readonly<Record<NodeName, Recent<string>>> = { leader: new Recent(), unit: new Recent() };
  /** Uploads that are releases. */
  readonly releases: Readonly<Record<NodeName, Recent<string>>> = { leader: new Recent(), unit: new Recent() };
  readonly exports = new Recent<string>();
  readonly sessions: Readonly<Record<NodeName, Map<string, SeenSession>>> = { leader: new Map(), unit: new Map() };
  /** New machines that are known to the leader, and are or are no workers. */
  readonly enrolled = new Set<string>();
  /** Stills that were listed last, with where they are. */
  readonly stills: Record<NodeName, readonly SeenStill[]> = { leader: [], unit: [] };
  /** Alarms by ID, with the last received state, oldest first. */
  readonly alarms = new Map<string, string>();
  /** Channels of alarms that are there. */
  channels: readonly string[] = [];
  /** Ways in which growth rates of the measured experiment were computed. */
  derivations: readonly Static<typeof GrowthDerivation>[] = [];
  /** Runs of profiles, newest first. */
  runs: readonly SeenRun[] = [];
  backups: readonly string[] = [];
  /** One-time codes that have not been voided. */
  codes: readonly string[] = [];
  /** Where notices of alarms may be sent. */
  readonly listener: string;
  /** Of the unit's outbox, as its leader has read it. */
  feed: { readonly epoch: string; readonly seq: number } | undefined;
  readonly leaderIdOfUnit: string;
  /** The document that the unit has. */
  document: unknown;

  constructor(
    given: Pick<Known, 'model' | 'unit' | 'config' | 'archives' | 'listener' | 'leaderIdOfUnit'> & {
      readonly document: unknown;
    },
  ) {
    this.model = given.model;
    this.unit = given.unit;
    this.config = given.config;
    this.archives = given.archives;
    this.listener = given.listener;
    this.leaderIdOfUnit = given.leaderIdOfUnit;
    this.document = given.document;
  }
}
