import { ApiError } from '@lcs/contract';
import { type ParsedProfile, type ProfileDiagnostic, positionOf, unsupportedParts } from '@lcs/domain';

export type ValidProfile = ParsedProfile & { readonly is: 'valid' };

const isFault = ({ severity }: ProfileDiagnostic): boolean => severity === 'error';

/** The fault of a text, in a sentence with its place. */
export function faultOf({ diagnostics }: ParsedProfile): string | undefined {
  const fault = diagnostics.find(isFault);
  return fault && `Line ${fault.line}, column ${fault.column}: ${fault.message}`;
}

/** @throws ApiError profile_unreadable, profile_invalid */
export function expectValid(parsed: ParsedProfile): ValidProfile {
  if (parsed.is === 'valid') return parsed;
  const { diagnostics } = parsed;
  if (parsed.is === 'invalid')
    throw new ApiError('profile_invalid', { faults: diagnostics.filter(isFault).length }, diagnostics);
  const faults = diagnostics.filter(isFault).length;
  throw new ApiError('profile_unreadable', { first: faultOf(parsed) ?? 'The text is empty.', faults }, diagnostics);
}

/** The unsupported parts of a profile, a sentence for each place. */
export const unsupportedSentences = ({ profile, positions }: ValidProfile): readonly string[] =>
  unsupportedParts(profile).map(
    ({ path, feature }) => `Line ${positionOf(positions, path).line}: ${feature} is not supported yet.`,
  );

/** @throws ApiError profile_not_supported naming the places */
export function expectSupported(filename: string, valid: ValidProfile): void {
  const sentences = unsupportedSentences(valid);
  if (sentences.length > 0) throw new ApiError('profile_not_supported', { filename, cause: sentences.join(' ') });
}
