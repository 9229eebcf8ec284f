import type { DesiredState, DesiredVolumeNote, Model } from '@lcs/contract';
import type { JobNodeFacts } from '@lcs/node';
import { sha256Of } from '../config/unit-config.ts';
import type { LeaderLink } from '../enrolment/leader-link.ts';
import type { EffectiveDocuments } from './desired-store.ts';

/** The assignment of this unit in the leader's document. */
export interface AssignmentStatus {
  readonly isMember: boolean;
  readonly isActive: boolean;
  readonly experimentUid: string | null;
}

const noFile = { version: 0, sha256: sha256Of('') };

/** Of a unit that no leader has assigned. */
export const nothingInForce: EffectiveDocuments = {
  experiment: null,
  active: true,
  model: null,
  config: { shared: noFile, own: noFile },
};

/**
 * The assignment of this unit: the leader's document and its effective parts. The jobs, the ledger and the board read it; only
 * `DesiredStateManager` changes it.
 */
export class UnitAssignment {
  readonly #link: Pick<LeaderLink, 'current'>;
  /** Of the unit's own leader; undefined: there is none. */
  document: DesiredState | undefined;
  effective: EffectiveDocuments = nothingInForce;

  constructor(link: Pick<LeaderLink, 'current'>) {
    this.#link = link;
  }

  /** The facts that the start of a job needs. */
  facts(): JobNodeFacts {
    const { experiment, active, model } = this.effective;
    const isMember = this.status()?.isMember === true;
    return {
      experiment: isMember && experiment !== null ? { name: experiment.name, uid: experiment.uid } : undefined,
      isActive: isMember ? active : true,
      model: model === null ? undefined : { name: model.model_name, version: model.model_version },
    };
  }

  /** The experiment that this unit is in. */
  get experiment(): JobNodeFacts['experiment'] {
    return this.facts().experiment;
  }

  /** The complete effective model; undefined while the leader has not named one. */
  get model(): Model | undefined {
    return this.effective.model ?? undefined;
  }

  /** People's notes of the volume of the vial, in the effective experiment. */
  get volumeNotes(): readonly DesiredVolumeNote[] {
    return this.status()?.isMember ? (this.document?.volume_notes ?? []) : [];
  }

  /** Version of the document; 0: there is none. */
  get version(): number {
    return this.document?.version ?? 0;
  }

  /** The leader that may read the feed; also one that has released the unit, until it has read all. */
  get leaderId(): string | undefined {
    return this.#link.current?.leader_id;
  }

  /** The document's status of this unit; undefined: its own leader has sent none. */
  status(): AssignmentStatus | undefined {
    const { current } = this.#link;
    const { document } = this;
    if (document === undefined || current?.leader_id !== document.leader_id) return undefined;
    const isMember = document.standing === 'member' && current.standing === 'member';
    return { isMember, isActive: document.active, experimentUid: document.experiment?.uid ?? null };
  }
}
