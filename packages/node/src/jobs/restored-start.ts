import { ApiError, type Json } from '@lcs/contract';
import { checkChanges } from './job-changes.ts';
import type { JobRequest } from './job-definition.ts';
import { OptionsInvalid, type OptionValues, parseOptions } from './job-options.ts';
import { declaredOptions } from './job-request.ts';
import { JobValues } from './job-values.ts';

/** The option with the name of this setting, with its value; undefined when there is none, or the value is invalid for it. */
function optionOf({ definition, options }: JobRequest, setting: string, value: Json): OptionValues | undefined {
  const declared = declaredOptions(definition, options.automation_name);
  const declaration = Object.hasOwn(declared, setting) ? declared[setting] : undefined;
  if (declaration === undefined) return undefined;
  try {
    const parsed = parseOptions({ [setting]: declaration }, { [setting]: value });
    return parsed[setting] === value ? parsed : undefined;
  } catch (error) {
    if (!(error instanceof OptionsInvalid)) throw error;
    return undefined;
  }
}

/**
 * A resumed job begins with its settings at the interruption, which replace the options of its start. So no output is driven by an
 * outdated value. `remembered` may be of another version of the job.
 */
export function restoredStart(request: JobRequest, remembered: Readonly<Record<string, Json>>): JobRequest {
  const { definition } = request;
  const declared = new JobValues(definition, request.options);
  const values: Record<string, Json> = {};
  const toApply: Record<string, Json> = {};
  const lost: { setting: string; cause: string }[] = [];
  let options = request.options;
  let isAsleep = false;
  for (const [setting, kept] of Object.entries(remembered)) {
    // The job publishes it again by itself.
    if (declared.declaration(setting)?.isKept) continue;
    try {
      const checked = checkChanges(definition.name, declared, { [setting]: kept });
      if (checked.state === 'sleeping') isAsleep = true;
      for (const [name, value] of Object.entries(checked.values)) {
        values[name] = value;
        const option = optionOf(request, name, value);
        if (option !== undefined) options = { ...options, ...option };
        // A job begins with its defaults.
        else if (value === null || value !== declared.get(name)) toApply[name] = value;
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      lost.push({ setting, cause: error.body.cause });
    }
  }
  return { ...request, options, restored: { values, toApply, isAsleep, lost } };
}
