import { randomInt } from 'node:crypto';
import { ApiError, minuteMs } from '@lcs/contract';
import { type CodeCost, deriveCodeKey, type EnrolmentTranscript, isCodeProved } from '@lcs/node';
import type { Clock } from '@lcs/platform';
import { Lane } from '../fleet/lane.ts';

/** Without characters that people confuse: 40 bits in eight. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 8;
const lifeMs = 15 * minuteMs;
/** Each open code costs a key derivation per proof. */
const openAtOnce = 5;
const wrongProofs = 5;

/** A code that can be used. */
export interface OpenCode {
  readonly id: string;
  readonly code: string;
  /** The only unit that it is valid for; null: any. */
  readonly unit: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A code that was proved. It is used from now on. */
export interface UsedCode {
  readonly key: Buffer;
  /** The enrolment failed for another reason: the code can be used again. */
  readonly giveBack: () => void;
}

export interface OneTimeCodesOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  readonly cost: CodeCost;
}

/** One-time codes, in memory only: a restart voids them. */
export class OneTimeCodes {
  readonly #options: OneTimeCodesOptions;
  readonly #open = new Map<string, OpenCode>();
  /** Each derivation takes 64 MiB. */
  readonly #deriving = new Lane(1);
  #wrongProofs = 0;

  constructor(options: OneTimeCodesOptions) {
    this.#options = options;
  }

  get cost(): CodeCost {
    return this.#options.cost;
  }

  /** The newest first. */
  list(): readonly OpenCode[] {
    const now = this.#options.clock.now();
    for (const [id, { expiresAt }] of this.#open) if (expiresAt <= now) this.#open.delete(id);
    return [...this.#open.values()].reverse();
  }

  /** @throws ApiError enrol_codes_full */
  create(unit: string | null): OpenCode {
    if (this.list().length >= openAtOnce) throw new ApiError('enrol_codes_full', { limit: openAtOnce });
    if (this.#open.size === 0) this.#wrongProofs = 0;
    const now = this.#options.clock.now();
    const code = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
    const made = { id: this.#options.newId(), code, unit, createdAt: now, expiresAt: now + lifeMs };
    this.#open.set(made.id, made);
    return made;
  }

  /** @throws ApiError enrol_code_not_found */
  void(id: string): void {
    if (!this.list().some((code) => code.id === id)) throw new ApiError('enrol_code_not_found', { code: id });
    this.#open.delete(id);
  }

  /**
   * The code that the unit has proved. Five wrong proofs void all codes.
   * @throws ApiError enrol_code_wrong
   */
  use(transcript: EnrolmentTranscript, salt: string, proof: string): Promise<UsedCode> {
    // One after the other: of several wrong proofs at once each counts.
    return this.#deriving.run(async () => {
      for (const code of this.list()) {
        if (code.unit !== null && code.unit !== transcript.unit) continue;
        const key = await deriveCodeKey(code.code, salt, this.#options.cost);
        // It was voided meanwhile.
        if (!isCodeProved(key, 'unit', transcript, proof) || !this.#open.delete(code.id)) continue;
        return { key, giveBack: () => void this.#open.set(code.id, code) };
      }
      this.#wrongProofs += 1;
      if (this.#wrongProofs >= wrongProofs) {
        this.#open.clear();
        this.#wrongProofs = 0;
      }
      throw new ApiError('enrol_code_wrong', {});
    });
  }
}
