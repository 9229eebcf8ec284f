import type { CalibrationContent, EstimatorContent } from '@lcs/contract';
import {
  InvalidCalibrationFile,
  type ParsedProfile,
  parseCalibration,
  parseEstimator,
  parseProfile,
} from '@lcs/domain';

/** What each kind of text is read as. */
export interface ReadTexts {
  readonly profile: ParsedProfile;
  readonly calibration: CalibrationContent;
  readonly estimator: EstimatorContent;
}

export type TextKind = keyof ReadTexts;

/** @throws InvalidCalibrationFile for a calibration or an estimator; a profile has its faults as diagnostics */
export const readers: { readonly [Kind in TextKind]: (text: string) => ReadTexts[Kind] } = {
  profile: parseProfile,
  calibration: parseCalibration,
  estimator: parseEstimator,
};

export interface TextQuestion {
  readonly kind: TextKind;
  readonly text: string;
}

/** What a thread answers; of a fault its message. */
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
