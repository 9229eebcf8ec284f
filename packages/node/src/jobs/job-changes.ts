import { ApiError, type JobWarning, type Json } from '@lcs/contract';
import { checkSetting } from '@lcs/domain';
import type { ChangeOptions } from './job-definition.ts';
import { isRequestableState, type RequestableState, requestableStates } from './job-state.ts';
import type { JobValues } from './job-values.ts';

/** The requested values, all valid. */
export interface CheckedChanges {
  readonly values: Readonly<Record<string, Json>>;
  /** Requested values outside the range of a clamped setting. */
  readonly clamped: readonly { readonly setting: string; readonly wanted: Json; readonly applied: Json }[];
  readonly state: RequestableState | undefined;
}

/**
 * Checks requested values against the declarations of a running job; one invalid value rejects them all.
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
    if (declaration.readOnly) throw refuse(setting, 'It is read-only.');
    const check = checkSetting(declaration, value);
    if (!check.ok) throw refuse(setting, `It ${check.requirement}.`);
    values[setting] = check.value;
    if (check.clamped) clamped.push({ setting, wanted: value, applied: check.value });
  }
  return { values, clamped, state };
}

/**
 * Whether every change reduces an output: such changes are applied even if the disk rejects them. Only declared changes count.
 */
export const makesSafer = (declared: JobValues, values: Readonly<Record<string, Json>>): boolean =>
  Object.entries(values).every(([setting, value]) => {
    const declaration = declared.declaration(setting);
    if (declaration === undefined || !('lowerIsSafer' in declaration) || typeof value !== 'number') return false;
    const present = declared.get(setting);
    return value <= (typeof present === 'number' ? present : 0);
  });

/** The order of changes of the settings of one job: if one overtakes another, the later request is effective. */
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

/** @throws ApiError `dilution_not_confirmed` when the request requires a confirmation of immediate consequences and has none */
export function expectConfirmed(
  job: string,
  warning: JobWarning | undefined,
  { confirmsDilution }: ChangeOptions,
): void {
  if (warning === undefined || confirmsDilution !== false) return;
  throw new ApiError('dilution_not_confirmed', { job, cause: warning.message });
}
