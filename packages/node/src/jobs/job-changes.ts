import { ApiError, type Json } from '@lcs/contract';
import { isRequestableState, type RequestableState, requestableStates } from './job-state.ts';
import type { JobValues } from './job-values.ts';
import { checkSetting } from './setting-value.ts';

/** Wanted values that were all found good. */
export interface CheckedChanges {
  readonly values: Readonly<Record<string, Json>>;
  /** What was asked for and is outside the range of a clamped setting. */
  readonly clamped: readonly { readonly setting: string; readonly wanted: Json; readonly applied: Json }[];
  readonly state: RequestableState | undefined;
}

/**
 * Checks wanted values against the declarations of a running job; one bad value refuses them all.
 * @throws ApiError `job_setting_invalid`
 */
export function checkChanges(job: string, declared: JobValues, wanted: Readonly<Record<string, Json>>): CheckedChanges {
  const values: Record<string, Json> = {};
  const clamped: { setting: string; wanted: Json; applied: Json }[] = [];
  let state: RequestableState | undefined;
  const refuse = (setting: string, cause: string) => new ApiError('job_setting_invalid', { job, setting, cause });
  for (const [setting, value] of Object.entries(wanted)) {
    if (setting === '$state') {
      if (!isRequestableState(value)) throw refuse(setting, `It must be one of: ${requestableStates.join(', ')}.`);
      state = value;
      continue;
    }
    const declaration = declared.declaration(setting);
    if (declaration === undefined) throw refuse(setting, 'There is no such setting.');
    if (declaration.readOnly) throw refuse(setting, 'It can only be read.');
    const verdict = checkSetting(declaration, value);
    if (!verdict.ok) throw refuse(setting, verdict.cause);
    values[setting] = verdict.value;
    if (verdict.clamped) clamped.push({ setting, wanted: value, applied: verdict.value });
  }
  return { values, clamped, state };
}

/**
 * Whether every change takes something away from what is driven: such changes are applied whatever the disk is. What nobody
 * has declared so is none.
 */
export const makesSafer = (declared: JobValues, values: Readonly<Record<string, Json>>): boolean =>
  Object.entries(values).every(([setting, value]) => {
    const declaration = declared.declaration(setting);
    if (declaration === undefined || !('lowerIsSafer' in declaration) || typeof value !== 'number') return false;
    const present = declared.get(setting);
    return value <= (typeof present === 'number' ? present : 0);
  });

/** The order in which changes of the settings of one job came: of two that overtake each other the later one counts. */
export class ChangeTurns {
  readonly #newest = new Map<string, number>();
  #turn = 0;

  begin(settings: readonly string[]): number {
    this.#turn += 1;
    for (const setting of settings) this.#newest.set(setting, this.#turn);
    return this.#turn;
  }

  isNewest(setting: string, turn: number): boolean {
    return this.#newest.get(setting) === turn;
  }
}
