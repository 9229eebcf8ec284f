import type { Json } from '@lcs/contract';
import { checkSetting, type InvalidValue } from '../jobs/check-job-value.ts';
import type { JobSettingDeclaration } from '../jobs/job-declaration.ts';
import type { ProfileDiagnosticCode, ProfileFinding } from './diagnostic.ts';
import { bracketedExpression } from './expressions/brackets.ts';
import { shortened } from './shortened.ts';

export type Findings = Generator<ProfileFinding>;

export const warning = (code: ProfileDiagnosticCode, path: string, message: string, hint?: string): ProfileFinding => ({
  severity: 'warning',
  code,
  message,
  path,
  ...(hint !== undefined && { hint }),
});

/** Whether the value is known only when the action is due. */
export const isExpression = (value: Json | undefined): boolean =>
  typeof value === 'string' && bracketedExpression(value) !== undefined;

/** A value in a message. */
export const shownValue = (value: Json): string => {
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  return typeof value === 'object' && value !== null ? 'a list or map' : String(value);
};

export const invalidValue = (
  path: string,
  name: string,
  value: Json,
  { is, requirement }: InvalidValue,
): ProfileFinding =>
  warning(
    is === 'type' ? 'value.type' : 'value.out_of_range',
    path,
    `${name} ${requirement}, not ${shownValue(value)}. The action will fail.`,
  );

const limitedValue = (path: string, name: string, value: Json, limit: Json): ProfileFinding =>
  warning('value.out_of_range', path, `${name} is limited to ${shownValue(limit)}, not ${shownValue(value)}.`);

/** Warns about a literal value that none of these declarations accepts. */
export function* invalidSetting(
  path: string,
  name: string,
  value: Json,
  settings: readonly JobSettingDeclaration[],
): Findings {
  const checks = settings.map((setting) => checkSetting(setting, value));
  const accepted = checks.filter((check) => check.ok);
  const [first] = checks;
  if (accepted.length === 0 && first?.ok === false) yield invalidValue(path, name, value, first);
  const [limited] = accepted;
  if (limited !== undefined && accepted.every(({ clamped }) => clamped))
    yield limitedValue(path, name, value, limited.value);
}
