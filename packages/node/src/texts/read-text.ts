import type { CalibrationContent, EstimatorContent } from '@lcs/contract';
import {
  type FormattedProfile,
  formatProfile,
  InvalidCalibrationFile,
  type ParsedProfile,
  parseCalibration,
  parseEstimator,
  parseProfile,
} from '@lcs/domain/texts';

/** The parsed form of each kind of text. */
export interface ReadTexts {
  readonly profile: ParsedProfile;
  readonly formattedProfile: FormattedProfile;
  readonly calibration: CalibrationContent;
  readonly estimator: EstimatorContent;
}

export type TextKind = keyof ReadTexts;

/** @throws InvalidCalibrationFile for a calibration or an estimator; faults of a profile are diagnostics */
export const readers: { readonly [Kind in TextKind]: (text: string) => ReadTexts[Kind] } = {
  profile: parseProfile,
  formattedProfile: formatProfile,
  calibration: parseCalibration,
  estimator: parseEstimator,
};

export interface TextQuestion {
  readonly kind: TextKind;
  readonly text: string;
}

/** The result of a thread; of an error its message. */
export type TextAnswer<Kind extends TextKind = TextKind> =
  | { readonly is: 'read'; readonly value: ReadTexts[Kind] }
  | { readonly is: 'invalid'; readonly message: string };

export function answerTo({ kind, text }: TextQuestion): TextAnswer {
  try {
    return { is: 'read', value: readers[kind](text) };
  } catch (error) {
    if (error instanceof InvalidCalibrationFile) return { is: 'invalid', message: error.message };
    throw error;
  }
}
