import { ApiError, type Json } from '@lcs/contract';
import { isWishableState, type WishableState, wishableStates } from './job-state.ts';
import type { JobValues } from './job-values.ts';
import { checkSetting } from './setting-value.ts';

/** Wanted values that were all found good. */
export interface CheckedChanges {
  readonly values: Readonly<Record<string, Json>>;
  /** What was asked for and is outside the range of a clamped setting. */
  readonly clamped: readonly { readonly setting: string; readonly wanted: Json; readonly applied: Json }[];
  readonly state: WishableState | undefined;
}

/**
 * Checks wanted values against the declarations of a running job; one bad value refuses them all.
 * @throws ApiError `job_setting_invalid`
 */
export function checkChanges(job: string, declared: JobValues, wanted: Readonly<Record<string, Json>>): CheckedChanges {
  const values: Record<string, Json> = {};
  const clamped: { setting: string; wanted: Json; applied: Json }[] = [];
  let state: WishableState | undefined;
  const refuse = (setting: string, cause: string) => new ApiError('job_setting_invalid', { job, setting, cause });
  for (const [setting, value] of Object.entries(wanted)) {
    if (setting === '$state') {
      if (!isWishableState(value)) throw refuse(setting, `It must be one of: ${wishableStates.join(', ')}.`);
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
